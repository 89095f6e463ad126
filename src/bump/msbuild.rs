//! Lists the packages that a project of `MSBuild` names.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::named_version::NamedVersion;

/// Elements that name a package in `Include` or `Update` and its version in an attribute.
const ELEMENTS: [&str; 3] = ["PackageReference", "PackageVersion", "GlobalPackageReference"];

/// Reads `<PackageReference Include="A" Version="1.0" />` and the like.
pub(super) fn list_msbuild(text: &str) -> Vec<NamedVersion> {
    let mut reader = Reader::from_str(text);
    let mut found = Vec::new();
    loop {
        let tag = match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => tag,
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => continue,
        };
        if !ELEMENTS.contains(&tag.local_name().as_ref()) {
            continue;
        }
        let value = |names: [&str; 2]| {
            let mut all = tag.attributes();
            let mut all = all.with_checks(false).flatten();
            let wanted = all.find(|it| names.contains(&it.key.local_name().as_ref()))?;
            Some(wanted.value.to_string())
        };
        let name = value(["Include", "Update"]);
        found.extend(name.zip(value(["Version", "VersionOverride"])));
    }
}
