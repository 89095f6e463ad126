//! Passwords that only the form shows: words after an option, in a call, a record or a sentence; and the same forms without one.

use super::mask;

fn assert_masked(rows: &[(&str, &str)]) {
    for (text, masked) in rows {
        assert_eq!(mask(text), *masked, "{text}");
    }
}

#[test]
fn a_word_is_masked_where_a_command_takes_a_password() {
    assert_masked(&[
        (
            "mongosh --username app --password gingermaple --port 1",
            "mongosh --username app --password *** --port 1",
        ),
        ("--password \\\n  gingermaple \\\n  --port 1", "--password \\\n  *** \\\n  --port 1"),
        ("args:\n- --admin-password\n- gingermaple\n- x", "args:\n- --admin-password\n- ***\n- x"),
        ("oras login r.io -u bob -p gingermaple", "oras login r.io -u bob -p ***"),
        ("zip -P gingermaple out.zip a.txt", "zip -P *** out.zip a.txt"),
        ("ssh-keygen -N 'ginger maple stone 4' -f id", "ssh-keygen -N '***' -f id"),
        ("curl -u 'bob:ginger maple stone 4' http://h/", "curl -u 'bob:***' http://h/"),
        ("echo gingermaple | sudo -S true", "echo *** | sudo -S true"),
        ("echo 'bob:gingermaple' | chpasswd", "echo 'bob:***' | chpasswd"),
        ("app login --password-stdin <<< gingermaple", "app login --password-stdin <<< ***"),
        ("wg set w preshared-key <(echo gingermaple)", "wg set w preshared-key <(echo ***)"),
        ("borg --password-command 'echo gingermaple' x", "borg --password-command 'echo ***' x"),
        ("openssl x -passin pass:gingermaple -nodes", "openssl x -passin pass:*** -nodes"),
    ]);
}

#[test]
fn a_word_is_masked_where_a_call_takes_a_password() {
    assert_masked(&[
        (
            r#"new NetworkCredential("bob", "gingermaple", "corp");"#,
            r#"new NetworkCredential("bob", "***", "corp");"#,
        ),
        ("get(u, auth=('bob', 'gingermaple'))", "get(u, auth=('bob', '***'))"),
        (
            "connect(\"localhost\", \"root\", \"gingermaple\", \"shop\")",
            "connect(\"localhost\", \"root\", \"***\", \"shop\")",
        ),
        ("jwt.sign(payload, 'gingermaple', {})", "jwt.sign(payload, '***', {})"),
        ("define('DB_PASSWORD', 'gingermaple');", "define('DB_PASSWORD', '***');"),
        ("set(h, OPT_PASSWORD, \"gingermaple\");", "set(h, OPT_PASSWORD, \"***\");"),
        (
            "builder.password(\"gingermaple\").host(\"db\")",
            "builder.password(\"***\").host(\"db\")",
        ),
    ]);
}

#[test]
fn a_word_is_masked_in_a_record_that_a_program_printed() {
    assert_masked(&[
        (
            "User{name=bob, password=gingermaple, roles=[A]}",
            "User{name=bob, password=***, roles=[A]}",
        ),
        (
            "Login[name=bob, password=ginger maple stone 4, otp=1]",
            "Login[name=bob, password=***, otp=1]",
        ),
        ("&{Host:db Password:gingermaple Port:1}", "&{Host:db Password:*** Port:1}"),
        ("user:bob password:gingermaple accepted", "user:bob password:*** accepted"),
        ("Array\n(\n    [password] => gingermaple\n)", "Array\n(\n    [password] => ***\n)"),
        ("s:8:\"password\";s:11:\"gingermaple\";", "s:8:\"password\";s:11:\"***\";"),
        ("{user,\"bob\"},{password,<<\"gingermaple\">>}", "{user,\"bob\"},{password,<<\"***\">>}"),
    ]);
}

#[test]
fn a_word_is_masked_as_the_value_of_a_setting() {
    assert_masked(&[
        (
            "[pypi]\nusername = bob\npassword = gingermaple\n",
            "[pypi]\nusername = bob\npassword = ***\n",
        ),
        ("password: \"ginger maple stone 4\"", "password: \"***\""),
        ("-e \"DB_PASSWORD=ginger maple stone 4\" x", "-e \"DB_PASSWORD=***\" x"),
        ("- value: gingermaple\n  name: DB_PASSWORD\n", "- value: ***\n  name: DB_PASSWORD\n"),
        ("{\"Jwt\": {\"Key\": \"gingermaple256497\"}}", "{\"Jwt\": {\"Key\": \"***\"}}"),
        ("user admin insecure-password gingermaple", "user admin insecure-password ***"),
        ("password: <%= ENV['X'] || 'gingermaple' %>", "password: <%= ENV['X'] || '***' %>"),
        ("~ password = \"gingermaple\" -> \"copperstone\"", "~ password = \"***\" -> \"***\""),
        (
            "<Password><Value>gingermaple</Value></Password>",
            "<Password><Value>***</Value></Password>",
        ),
        ("<td>Password</td><td>gingermaple</td>", "<td>Password</td><td>***</td>"),
        (
            "string Password { get; set; } = \"gingermaple\";",
            "string Password { get; set; } = \"***\";",
        ),
        (
            "aes_key[8] = { 0x35, 0x78, 0x49, 0x30, 0x74, 0x55, 0x73, 0x63 };",
            "aes_key[8] = { *** };",
        ),
        (
            "key_seed = 1\nsecret_key: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];",
            "key_seed = 1\nsecret_key: [u8; 8] = [***];",
        ),
    ]);
}

#[test]
fn a_word_is_masked_that_a_sentence_announces() {
    assert_masked(&[
        ("Default admin password is: gingermaple", "Default admin password is: ***"),
        ("Kennwort für bob: gingermaple", "Kennwort für bob: ***"),
        ("my password was gingermaple and it failed", "my password was *** and it failed"),
        ("password (gingermaple)", "password (***)"),
        ("use this password:\n\ne7ac97b7d5bd5b2859a1c42b7cd915be\n", "use this password:\n\n***\n"),
        (
            "assert '' == 'gingermaple'\nwhere Login(password='gingermaple')",
            "assert '' == '***'\nwhere Login(password='***')",
        ),
    ]);
}

#[test]
fn a_generated_password_is_masked_in_a_line_that_introduces_one() {
    assert_masked(&[
        ("net user deploy r82qi+3cCwPa /add", "net user deploy *** /add"),
        ("psexec corp/bob:ZeoSt%uxgvs1r@10.0.0.9", "psexec corp/bob:***@10.0.0.9"),
        (
            "mc alias set m http://minio:9000 admin L535kEhCuCg",
            "mc alias set m http://minio:9000 admin ***",
        ),
        ("tool -x wlX0*ASJ8PPV y", "tool -x *** y"),
        ("auth 851ee933-6006-45cd-a842-c02a4d361234", "auth ***"),
        (
            "powershell -EncodedCommand JABwAGEAcwBzAHcAbwByAGQAPQAiAGMAYQBjAHQAdQBzAHQAaAB1AG4AZABlAHIAIgA7ACAAcgB1AG4A",
            "powershell -EncodedCommand JABwAGEAcwBzAHcAbwByAGQAPQAi***IgA7ACAAcgB1AG4A",
        ),
    ]);
}

#[test]
fn the_same_forms_without_a_password_stay() {
    for text in [
        "use --password to set it, or the --password option",
        "error: argument --password: expected one argument",
        "  --password string   Password of the registry",
        "the --token flag is deprecated, use --token-file instead",
        "docker run -u root -p 8080:80 app",
        "rsync -u a -p folder/name b",
        "mkdir -p folder && cp -p gingermaple x",
        "password = other_name\nlogin(user, password)",
        "password = get_password(user)",
        "def login(user: str, password: SecretString) -> None:",
        "password: \"Enter your new password\"",
        "password: required",
        "Password: Authentication failed",
        "Password for user bob: unchanged",
        "your password is mandatory",
        "Access denied with password authentication for user bob",
        "PASS test_password_reset",
        "Tests run: 3, Time elapsed: 0.052 s <<< FAILURE! -- in demo.TokenTest",
        "connect(signal, \"clicked\", \"handler\")",
        "login(\"Enter your name\", \"and then the rest\")",
        "tokens = [1, 2, 3, 4, 5, 6, 7, 8, 9]",
        "token_ids: [101, 102, 103, 104, 105, 106, 107, 108]",
        "(\"password\", \"username\", \"email\")",
        "identified by source_pid.",
        "fix(auth): bump Node@18 and UTF8=Yes in user-service",
        "gcc -O2 -Wall -c Foo2Bar.c -o Foo2Bar.o",
        "| password | character varying(60) |",
        "id,password\n1,\n",
    ] {
        assert_eq!(mask(text), text);
    }
}
