//! The other names that mounts give to files: of bind mounts, and of the layers of overlays.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// The mounts that this process sees.
pub(super) struct Mounts(Vec<MountPoint>);

/// One mount: `root` of a file system is shown at `place`.
struct MountPoint {
    device: String,
    root: PathBuf,
    place: PathBuf,
    /// The folders that an overlay is made of.
    layers: Vec<PathBuf>,
}

impl Mounts {
    /// Returns the mounts of this process; none if they cannot be read.
    #[expect(clippy::disallowed_methods, reason = "the list is the kernel's")]
    pub(super) fn read() -> Self {
        Self::parse(&std::fs::read("/proc/self/mountinfo").unwrap_or_default())
    }

    /// Reads the form of `proc_pid_mountinfo(5)`.
    fn parse(text: &[u8]) -> Self {
        let lines = text.split(|byte| *byte == b'\n');
        Self(lines.filter_map(parse_line).collect())
    }

    /// Returns the other paths at which a file or folder, or a part of it, is shown.
    pub(super) fn other_names(&self, path: &Path) -> Vec<PathBuf> {
        let around = self.0.iter().enumerate().filter(|(_, it)| path.starts_with(&it.place));
        // Of two mounts at one place, the later one is shown.
        let own = around.max_by_key(|(at, it)| (it.place.components().count(), *at));
        let inside = own.and_then(|(_, it)| Some(it.root.join(path.strip_prefix(&it.place).ok()?)));
        let device = own.map(|(_, it)| it.device.as_str());
        let mut names = Vec::new();
        for mount in &self.0 {
            if Some(mount.device.as_str()) == device {
                names.extend(inside.iter().filter_map(|it| shown_at(it, &mount.root, mount)));
            }
            names.extend(mount.layers.iter().filter_map(|layer| shown_at(path, layer, mount)));
        }
        names.retain(|name| name != path);
        names
    }
}

/// Returns where a mount of `root` shows a path; `None` if it does not.
fn shown_at(path: &Path, root: &Path, mount: &MountPoint) -> Option<PathBuf> {
    match path.strip_prefix(root) {
        // An empty rest would add a separator.
        Ok(rest) if rest.as_os_str().is_empty() => Some(mount.place.clone()),
        Ok(rest) => Some(mount.place.join(rest)),
        // The mount shows something in the folder.
        Err(_) => root.starts_with(path).then(|| mount.place.clone()),
    }
}

/// Reads `36 35 98:0 /root /place options … - type source superoptions`.
fn parse_line(line: &[u8]) -> Option<MountPoint> {
    let mut fields = line.split(|byte| *byte == b' ').skip(2);
    let device = String::from_utf8_lossy(fields.next()?).into_owned();
    let (root, place) = (unescape(fields.next()?), unescape(fields.next()?));
    let mut rest = fields.skip_while(|field| *field != b"-").skip(1);
    let is_overlay = rest.next()? == b"overlay";
    let options = rest.nth(1).filter(|_| is_overlay).unwrap_or_default();
    let layers = options.split(|byte| *byte == b',').flat_map(|option| {
        let named = [&b"lowerdir="[..], b"upperdir=", b"lowerdir+="];
        let folders = named.iter().find_map(|name| option.strip_prefix(*name));
        folders.unwrap_or_default().split(|byte| *byte == b':').map(unescape)
    });
    let layers = layers.filter(|layer| layer.is_absolute()).collect();
    Some(MountPoint { device, root, place, layers })
}

/// Returns a path in which the kernel wrote blanks and its like as `\040`.
fn unescape(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, more)) = rest.split_first() {
        let digits = more.get(..3).filter(|_| *first == b'\\');
        let code = digits.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { more.get(3..).unwrap_or_default() } else { more };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_at_every_place_at_which_a_mount_shows_it() {
        let mounts = Mounts::parse(
            b"21 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
              22 21 8:2 / /home rw - ext4 /dev/sda2 rw\n\
              23 21 8:2 /me/.ssh /mnt/a\\040key rw shared:1 - ext4 /dev/sda2 rw\n\
              24 21 8:2 /me /srv/me rw - ext4 /dev/sda2 rw\n\
              25 21 8:2 /me/.ssh/id_rsa /run/id rw - ext4 /dev/sda2 rw\n\
              26 21 0:40 / /ov rw - overlay overlay rw,lowerdir=/opt:/home/me,upperdir=/up\n\
              27 21 8:1 /opt /b rw - ext4 /dev/sda1 rw\n",
        );
        let names = |path: &str| mounts.other_names(Path::new(path));
        let expected = ["/mnt/a key", "/srv/me/.ssh", "/run/id", "/ov/.ssh"];
        assert_eq!(names("/home/me/.ssh"), expected.map(PathBuf::from));
        assert_eq!(names("/opt/x"), ["/ov/x", "/b/x"].map(PathBuf::from));
        assert!(names("/etc/shadow").is_empty());
        // An alias leads to all the others.
        assert!(names("/mnt/a key").contains(&PathBuf::from("/home/me/.ssh")));
    }
}
