//! Bytes on a socket, together with a descriptor.

use std::io::{self, IoSlice, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Most bytes that are read at once.
const BLOCK: usize = 64 * 1024;

/// Closes a received descriptor in programs that are executed.
#[cfg(target_os = "linux")]
const CLOSED: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const CLOSED: RecvFlags = RecvFlags::empty();

/// Sends bytes, and with them a descriptor.
///
/// Fails with the error of the socket, as after the other side was closed.
pub(crate) fn send_with(
    socket: &UnixStream,
    bytes: &[u8],
    descriptor: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let Some(descriptor) = descriptor else { return { socket }.write_all(bytes) };
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut buffer = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor];
    buffer.push(SendAncillaryMessage::ScmRights(&descriptors));
    let sent = sendmsg(socket, &[IoSlice::new(bytes)], &mut buffer, SendFlags::empty())?;
    { socket }.write_all(bytes.get(sent..).unwrap_or_default())
}

/// Reads bytes until `is_complete` returns `true` or the socket is closed; returns the last descriptor that came with them.
///
/// Fails with the error of the socket; `bytes` has what came before it.
pub(super) fn receive_with(
    socket: &UnixStream,
    bytes: &mut Vec<u8>,
    is_complete: impl Fn(&[u8]) -> bool,
) -> io::Result<Option<OwnedFd>> {
    let mut found = None;
    let mut block = vec![0; BLOCK];
    while !is_complete(bytes) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut buffer = RecvAncillaryBuffer::new(&mut space);
        let mut slices = [IoSliceMut::new(&mut block)];
        let count = match recvmsg(socket, &mut slices, &mut buffer, CLOSED) {
            Err(rustix::io::Errno::INTR) => continue,
            received => received?.bytes,
        };
        for message in buffer.drain() {
            if let RecvAncillaryMessage::ScmRights(mut received) = message {
                found = received.next().or(found);
            }
        }
        if count == 0 {
            break;
        }
        bytes.extend_from_slice(block.get(..count).unwrap_or_default());
    }
    Ok(found)
}

/// Reads up to a line end, and the descriptor that came with the line. The other side sends nothing after the line.
///
/// Fails with an error of kind `UnexpectedEof` if the socket is closed first.
pub(super) fn receive_line(socket: &UnixStream) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
    let mut line = Vec::new();
    let descriptor = receive_with(socket, &mut line, |line| line.last() == Some(&b'\n'))?;
    if line.last() == Some(&b'\n') {
        Ok((line, descriptor))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
