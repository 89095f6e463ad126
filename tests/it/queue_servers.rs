//! Queues in a cluster, behind TLS, and with the rights of an account.
#![expect(clippy::disallowed_methods, reason = "tests start processes themselves")]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use data_encoding::{BASE32_NOPAD, BASE64URL_NOPAD};
use nkeys::KeyPair;
use serde_json::{Value, json};

use crate::nats_rig::{Nats, PASSWORD};
use crate::queue::{done, ended, manifest, names, red, wait_for};
use crate::support::{Ran, TestEnv};

/// The rights of a worker, as `docs/batch.md` has them.
const WORKER: [&str; 5] = [
    "$JS.API.>", "$JS.ACK.papayu-tasks.>", "$KV.papayu-records.>", "$O.papayu-results.>",
    "_INBOX.>",
];

/// Runs a command until it ends with 0: a cluster elects who leads it at first.
fn run_in_time(run: impl Fn() -> Ran) -> Ran {
    for _ in 0..20 {
        let ran = run();
        if ran.code == 0 {
            return ran;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    run()
}

#[test]
fn a_cluster_loses_a_server_and_no_task() {
    let (env, mut servers) = (TestEnv::new(), Nats::cluster());
    let names = names(12);
    red(&env, &names);
    manifest(&env, &names);
    let url = servers.each_ref().map(Nats::url).join(",");
    let variables = [("PAPAYU_QUEUE", url.as_str())];
    let put = run_in_time(|| env.run_with(&["enqueue", "batch.toml"], &variables));
    assert_eq!(put.code, 0, "{put:?}");
    let outs = ["w/1", "w/2"];
    let start = |out: &&str| {
        let arguments =
            ["worker", "--out", out, "--format", "json", "--jobs", "1", "--until-empty"];
        env.start(&arguments, &variables)
    };
    let workers: Vec<_> = outs.iter().map(start).collect();
    wait_for("the first tasks' end", || done(&env, &outs) >= 3);
    servers[0].kill();
    for worker in workers {
        let ran = ended(worker);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let told = env.run_with(&["queue", "report", "--out", "all", "--format", "json"], &variables);
    assert_eq!((told.code, &told.json()["counts"]), (0, &json!({ "fixed": 12 })), "{told:?}");
    assert_eq!(told.json()["not_started"], 0);
}

#[test]
fn a_server_is_trusted_by_its_certificate_only() {
    let env = TestEnv::new();
    red(&env, &names(1));
    manifest(&env, &names(1));
    let made = env.shell(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout key.pem -out root.pem \
         -subj /CN=root 2>log && \
         openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout nats.key -out nats.csr -subj /CN=nats 2>>log && \
         printf 'subjectAltName=IP:127.0.0.1\\n' >ext && \
         openssl x509 -req -in nats.csr -CA root.pem -CAkey key.pem -CAcreateserial -days 2 -extfile ext -out nats.pem 2>>log",
    );
    assert_eq!(made.code, 0, "{made:?}");
    let path = |name: &str| env.repo().join(name).display().to_string();
    let tls = format!(
        "tls {{ cert_file: \"{}\", key_file: \"{}\" }}\n",
        path("nats.pem"),
        path("nats.key")
    );
    let nats = Nats::with(&tls);
    let url = nats.url().replace("nats://", "tls://");
    let queue = ("PAPAYU_QUEUE", url.as_str());
    let ran = env.run_with(&["enqueue", "batch.toml"], &[queue]);
    assert!(ran.code == 2 && ran.stderr.contains("ERR_QUEUE_UNTRUSTED"), "{ran:?}");
    let root = path("root.pem");
    let trusted = [queue, ("SSL_CERT_FILE", root.as_str())];
    let ran = env.run_with(&["enqueue", "batch.toml"], &trusted);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = env.run_with(&["worker", "--until-empty", "--format", "json"], &trusted);
    assert_eq!((ran.code, &ran.json()["counts"]), (0, &json!({ "fixed": 1 })), "{ran:?}");
    assert!(!format!("{ran:?}").contains(PASSWORD), "{ran:?}");
}

/// Returns a JWT as NATS reads it: `claims` about `subject`, signed by `issuer`.
fn jwt(issuer: &KeyPair, subject: &KeyPair, name: &str, claims: &Value) -> String {
    let mut body = json!({
        "iat": 1_700_000_000, "iss": issuer.public_key(), "sub": subject.public_key(), "name": name, "nats": claims,
    });
    // The server wants an identifier, and does not check of what.
    body["jti"] = json!(BASE32_NOPAD.encode(name.as_bytes()));
    let head = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let text =
        [head, body].map(|part| BASE64URL_NOPAD.encode(part.to_string().as_bytes())).join(".");
    let signature = BASE64URL_NOPAD.encode(&issuer.sign(text.as_bytes()).unwrap());
    format!("{text}.{signature}")
}

/// Makes an account on a server; returns the server, and the file of credentials of a user for each list of rights.
fn server_with_account(env: &TestEnv, users: &[(&str, &[&str])]) -> (Nats, Vec<PathBuf>) {
    let (operator, account) = (KeyPair::new_operator(), KeyPair::new_account());
    let claims = json!({ "type": "operator", "version": 2 });
    let of_operator = jwt(&operator, &operator, "operator", &claims);
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let claims = json!({ "type": "account", "version": 2, "limits": limits });
    let of_account = jwt(&operator, &account, "account", &claims);
    // JetStream of accounts needs an account of the server's own.
    let system = KeyPair::new_account();
    let claims = json!({ "type": "account", "version": 2 });
    let of_system = jwt(&operator, &system, "SYS", &claims);
    let (key, system) = (account.public_key(), system.public_key());
    let nats = Nats::with(&format!(
        "operator: {of_operator}\nsystem_account: {system}\nresolver: MEMORY\n\
         resolver_preload: {{ {key}: {of_account}, {system}: {of_system} }}\n"
    ));
    let credentials = users.iter().map(|(name, allowed)| {
        let user = KeyPair::new_user();
        let rights = json!({ "pub": { "allow": allowed }, "sub": { "allow": ["_INBOX.>"] } });
        let mut claims =
            json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
        claims.as_object_mut().unwrap().append(&mut rights.as_object().unwrap().clone());
        let (token, seed) = (jwt(&account, &user, name, &claims), user.seed().unwrap());
        let path = env.repo().join(format!("{name}.creds"));
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        fs::write(&path, text).unwrap();
        path
    });
    let credentials = credentials.collect();
    (nats, credentials)
}

#[test]
fn a_worker_works_with_the_rights_of_the_page_and_cannot_add_tasks() {
    let env = TestEnv::new();
    red(&env, &names(2));
    manifest(&env, &names(2));
    let master = [&WORKER[..], &["papayu-tasks.*"]].concat();
    let users: [(&str, &[&str]); 3] =
        [("worker", &WORKER), ("master", &master), ("reader", &["_INBOX.>"])];
    let (nats, files) = server_with_account(&env, &users);
    let url = format!("nats://127.0.0.1:{}", nats.port());
    let run = |user: usize, arguments: &[&str]| {
        let file = files[user].display().to_string();
        let variables = [("PAPAYU_QUEUE", url.as_str()), ("PAPAYU_QUEUE_CREDENTIALS", &file)];
        env.run_with(arguments, &variables)
    };
    let ran = run(0, &["enqueue", "batch.toml"]);
    assert!(ran.code == 2 && ran.stderr.contains("ERR_QUEUE_REFUSED"), "{ran:?}");
    let ran = run(1, &["enqueue", "batch.toml"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "2 new, 0 in the queue already, of 2 tasks\n"),
        "{ran:?}"
    );
    for command in [&["worker", "--until-empty"][..], &["queue", "status"]] {
        let ran = run(2, command);
        assert!(ran.code == 2 && ran.stderr.contains("ERR_QUEUE_REFUSED"), "{ran:?}");
    }
    let ran = run(0, &["worker", "--until-empty", "--format", "json"]);
    assert_eq!((ran.code, &ran.json()["counts"]), (0, &json!({ "fixed": 2 })), "{ran:?}");
    let ran = run(0, &["queue", "report", "--out", "all", "--format", "json"]);
    assert_eq!((ran.code, &ran.json()["counts"]), (0, &json!({ "fixed": 2 })), "{ran:?}");
    let text = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect::<String>();
    let seeds = text.lines().filter(|line| line.starts_with("SU")).collect::<Vec<_>>();
    let written = env.shell("cat all/*.* .papa-yu/worker/*.* .papa-yu/worker/*/*.*");
    assert!(seeds.len() == 3 && !seeds.iter().any(|seed| written.stdout.contains(seed)));
}

#[test]
fn a_seed_of_a_key_is_enough_where_the_server_knows_the_key() {
    let env = TestEnv::new();
    red(&env, &names(1));
    manifest(&env, &names(1));
    let (known, other) = (KeyPair::new_user(), KeyPair::new_user());
    let users = format!("authorization {{ users: [ {{ nkey: {} }} ] }}\n", known.public_key());
    let nats = Nats::with(&users);
    let url = format!("nats://127.0.0.1:{}", nats.port());
    for (pair, code) in [(other, 2), (known, 0)] {
        env.write("queue.seed", &format!("{}\n", pair.seed().unwrap()));
        let file = env.repo().join("queue.seed").display().to_string();
        let variables = [("PAPAYU_QUEUE", url.as_str()), ("PAPAYU_QUEUE_CREDENTIALS", &file)];
        let ran = env.run_with(&["enqueue", "batch.toml"], &variables);
        assert!(
            ran.code == code && (code == 0 || ran.stderr.contains("ERR_QUEUE_REFUSED")),
            "{ran:?}"
        );
    }
}
