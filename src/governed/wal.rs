//! SQLite's write-ahead log, read without SQLite: the pages of every finished transaction in it, put where they belong.
//!
//! The format is documented at <https://www.sqlite.org/fileformat2.html#walformat>. A log begins with a header of 32 bytes;
//! each page follows a header of 24. A page counts if it bears the salts of the log's header and its checksum, which goes on
//! from page to page, is right, and if a page that ends a transaction follows.

const HEADER: usize = 32;
const FRAME: usize = 24;

/// A database with the finished transactions of its log. What of a log is no part of it (left from before, half written, or
/// no log at all) is passed over, as SQLite does.
pub(super) fn with_log(mut database: Vec<u8>, log: &[u8]) -> Vec<u8> {
    let Some(frames) = committed(log) else { return database };
    let Some(last) = frames.last() else { return database };
    let page = last.page.len();
    let pages = last.pages as usize;
    let Some(size) = pages.checked_mul(page) else { return database };
    database.resize(size, 0);
    for frame in &frames {
        let start = (frame.number as usize).saturating_sub(1).saturating_mul(page);
        if let Some(place) = database.get_mut(start..start.saturating_add(page)) {
            place.copy_from_slice(frame.page);
        }
    }
    database
}

/// A page of the log.
struct Frame<'a> {
    /// Which page of the database it is, from 1.
    number: u32,
    /// How many pages the database has after the transaction that it ends; 0 where it ends none.
    pages: u32,
    page: &'a [u8],
}

/// The frames up to the last one that ends a transaction.
fn committed(log: &[u8]) -> Option<Vec<Frame<'_>>> {
    let header = log.get(..HEADER)?;
    let big_endian = match number(header, 0)? {
        0x377f_0682 => false,
        0x377f_0683 => true,
        _ => return None,
    };
    let size = number(header, 8)? as usize;
    let salts = header.get(16..24)?;
    let mut sum = checksum((0, 0), header.get(..24)?, big_endian);
    if size < 512 || sum != (number(header, 24)?, number(header, 28)?) {
        return None;
    }
    let mut frames = Vec::new();
    let mut whole = 0;
    for frame in log.get(HEADER..)?.chunks_exact(FRAME + size) {
        let (about, page) = frame.split_at_checked(FRAME)?;
        sum = checksum(checksum(sum, about.get(..8)?, big_endian), page, big_endian);
        if about.get(8..16)? != salts || sum != (number(about, 16)?, number(about, 20)?) {
            break;
        }
        let (number, pages) = (number(about, 0)?, number(about, 4)?);
        frames.push(Frame { number, pages, page });
        if pages > 0 {
            whole = frames.len();
        }
    }
    frames.truncate(whole);
    Some(frames)
}

/// Four bytes as a number; the log's own numbers are all big-endian.
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// SQLite's checksum over pairs of numbers, going on from one before.
fn checksum((mut one, mut two): (u32, u32), bytes: &[u8], big_endian: bool) -> (u32, u32) {
    let read = |bytes: [u8; 4]| if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    for pair in bytes.chunks_exact(8) {
        if let [a, b, c, d, e, f, g, h] = *pair {
            one = one.wrapping_add(read([a, b, c, d])).wrapping_add(two);
            two = two.wrapping_add(read([e, f, g, h])).wrapping_add(one);
        }
    }
    (one, two)
}
