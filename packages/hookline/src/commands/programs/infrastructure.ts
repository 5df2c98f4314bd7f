import type { CommandEntry, OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const targets: CommandEntry = { operands: ["target..."] };
const terraformOptions: OptionTable = {
  "-help -h": { destroys: "nothing" },
  "-var-file FILE": { value: "read" },
  "-state FILE": {},
  "-out FILE": { value: "write" },
  ...plain(
    "-auto-approve, -force, -input VALUE, -lock VALUE, -lock-timeout TIME, -no-color, -parallelism N, -refresh VALUE, -refresh-only, -replace ADDRESS, -target ADDRESS, -var VALUE, -compact-warnings, -json, -backup FILE, -state-out FILE, -upgrade, -reconfigure, -migrate-state, -backend VALUE, -backend-config VALUE, -detailed-exitcode, -dry-run, -version",
  ),
};

/** Programs that create and destroy infrastructure, and those of services that teams run. */
export const infrastructurePrograms: readonly ProgramEntry[] = [
  {
    names: ["terraform", "tofu", "tf"],
    also: ["terragrunt", "cdktf"],
    syntax: "words",
    options: {
      "-chdir DIR": { value: "dir" },
      ...plain("-help, -version, -terragrunt-working-dir DIR, -working-dir DIR, -all, -non-interactive, -terragrunt-non-interactive"),
    },
    subcommands: {
      destroy: { syntax: "words", operands: ["target..."], destroys: "infrastructure", options: terraformOptions },
      apply: {
        syntax: "words",
        operands: ["text..."],
        options: { ...terraformOptions, "-destroy": { destroys: "infrastructure" }, "-auto-approve": {} },
      },
      plan: { syntax: "words", operands: ["text..."], options: { ...terraformOptions, "-destroy": {} } },
      state: {
        syntax: "words",
        options: terraformOptions,
        subcommands: {
          rm: {
            syntax: "words",
            operands: ["target..."],
            destroys: "infrastructure",
            options: { ...terraformOptions, "-dry-run": { isDryRun: true } },
          },
          push: { syntax: "words", operands: ["text..."], options: { ...terraformOptions, "-force": { destroys: "infrastructure" } } },
          "list, show, mv, pull, replace-provider": { syntax: "words", operands: ["target..."], options: terraformOptions },
        },
      },
      workspace: {
        syntax: "words",
        subcommands: {
          delete: { syntax: "words", operands: ["target..."], options: { ...terraformOptions, "-force": { destroys: "infrastructure" } } },
          "new, select, list, show": { syntax: "words", operands: ["target..."], options: terraformOptions },
        },
      },
      "destroy-all": { syntax: "words", destroys: "infrastructure" },
      "run-all": { syntax: "words", subcommands: { destroy: { syntax: "words", destroys: "infrastructure" }, "*": targets } },
      run: { syntax: "words", subcommands: { destroy: { syntax: "words", destroys: "infrastructure" }, "*": targets } },
      "force-unlock": { syntax: "words", operands: ["target..."], destroys: "infrastructure", options: terraformOptions },
      "taint, untaint, import": { syntax: "words", operands: ["target..."], options: terraformOptions },
      "init, validate, fmt, show, output, console, graph, providers, refresh, get, login, logout, metadata, modules, test, version": {
        syntax: "words",
        operands: ["text..."],
        options: terraformOptions,
      },
    },
    examples: {
      "terraform -chdir=infra destroy -auto-approve": { verb: "destroy", dir: "infra", destroys: ["infrastructure"] },
      "tofu apply -destroy": { destroys: ["infrastructure"] },
      "terraform plan -out p.tfplan": { destroys: [], writes: ["p.tfplan"] },
      "terraform state rm aws_instance.x": { verb: "state rm", destroys: ["infrastructure"] },
      "terraform apply": { destroys: [] },
    },
  },
  {
    names: ["pulumi"],
    options: {
      "-C --cwd DIR": { value: "dir" },
      ...plain("-s --stack NAME, --color MODE, -v --verbose LEVEL, --non-interactive, -e --emoji, --logtostderr"),
    },
    subcommands: {
      "destroy down dn": {
        destroys: "infrastructure",
        options: {
          "--preview-only": { isDryRun: true },
          ...plain("-y --yes, -f --skip-preview, -t --target URN, -r --refresh, --remove, -m --message TEXT, -p --parallel N"),
        },
      },
      stack: {
        subcommands: {
          rm: { operands: ["target..."], destroys: "infrastructure", options: plain("-f --force, -y --yes, --preserve-config") },
          "*": targets,
        },
      },
      state: {
        subcommands: {
          delete: { operands: ["target..."], destroys: "infrastructure", options: plain("--force, -y --yes, --target-dependents") },
          "*": targets,
        },
      },
      cancel: { operands: ["target..."], options: plain("-y --yes") },
      "*": { verbWords: 0, operands: ["target..."] },
    },
    examples: { "pulumi destroy --yes -s dev": { verb: "destroy", destroys: ["infrastructure"] }, "pulumi up -y": { destroys: [] } },
  },
  {
    names: ["cdk"],
    also: ["sst", "sam", "serverless", "sls", "amplify", "cdk8s", "chalice", "nitric"],
    verbs: {
      "destroy, remove, delete": {
        operands: ["target..."],
        destroys: "infrastructure",
        options: plain("-f --force, --all, --stage -s NAME, --region NAME, --no-prompts, --stack-name NAME, --profile NAME"),
      },
      "deploy, diff, synth, list, ls, init, bootstrap, dev, build, validate, logs, invoke, info, package, push, pull, status, add": {
        operands: ["target..."],
      },
    },
    examples: { "cdk destroy --all --force": { destroys: ["infrastructure"] }, "cdk diff": { destroys: [] } },
  },
  {
    names: ["ansible"],
    operands: ["target"],
    options: {
      "-a --args TEXT": { value: "script" },
      "-i --inventory FILE": {},
      "-C --check": { isDryRun: true },
      ...plain(
        "-m --module-name NAME, -b --become, -K --ask-become-pass, -k --ask-pass, -u --user USER, -e --extra-vars VARS, -l --limit HOSTS, -f --forks N, -v --verbose, -o --one-line, -t --tree DIR, --private-key FILE, -c --connection TYPE, -T --timeout N, -B --background N, -P --poll N, --become-user USER, --become-method NAME, --vault-password-file FILE, -M --module-path DIR, --list-hosts, --syntax-check, -D --diff",
      ),
    },
    examples: { "ansible web -m shell -a 'rm -r /srv/x'": { program: "rm", deletes: ["/srv/x"], via: ["ansible"] } },
  },
  {
    names: ["ansible-playbook"],
    also: ["ansible-pull", "ansible-console"],
    operands: ["run..."],
    language: "other",
    options: plain(
      "-i --inventory FILE, -C --check, -b --become, -e --extra-vars VARS, -l --limit HOSTS, -t --tags TAGS, --skip-tags TAGS, -u --user USER, -k --ask-pass, -K --ask-become-pass, -v --verbose, -f --forks N, --list-tasks, --list-hosts, --list-tags, --syntax-check, -D --diff, --start-at-task NAME, --step, --private-key FILE, -c --connection TYPE, -T --timeout N, --vault-password-file FILE, --vault-id ID, --ask-vault-pass, --flush-cache, -U --url URL",
    ),
    examples: { "ansible-playbook -i hosts site.yml": { runs: ["file"], reads: ["site.yml"] } },
  },
  {
    names: ["ansible-vault"],
    also: [
      "ansible-galaxy",
      "ansible-inventory",
      "ansible-config",
      "ansible-doc",
      "ansible-lint",
      "salt",
      "salt-call",
      "chef-client",
      "packer",
    ],
    verbWords: 1,
    operands: ["target..."],
    options: plain("--vault-password-file FILE, -i FILE, -r FILE, -p PATH, -v, -y --yes"),
    examples: { "ansible-vault view group_vars/x.yml": { verb: "view" } },
  },
  {
    names: ["knife"],
    also: ["puppet", "foreman-installer", "hammer"],
    options: plain("-y --yes, -c --config FILE, -e --environment NAME, -V --verbose, --noop, --test"),
    verbs: {
      "delete, purge, clean, destroy, bulk": { operands: ["target..."], destroys: "infrastructure" },
      "list, show, edit, create, search, status, upload, download, apply, agent, bootstrap, ssh, diff, lookup, module, resource": targets,
    },
    examples: { "knife node delete web1 -y": { destroys: ["infrastructure"] }, "puppet apply site.pp": { destroys: [] } },
  },
  {
    names: ["vault", "bao"],
    syntax: "posix",
    options: plain("-address URL, -namespace NAME, -format FORMAT"),
    subcommands: {
      delete: { syntax: "words", operands: ["target..."], destroys: "secret" },
      kv: {
        subcommands: {
          "delete, destroy": {
            syntax: "words",
            operands: ["target..."],
            destroys: "secret",
            options: plain("-versions LIST, -mount PATH"),
          },
          metadata: {
            subcommands: {
              delete: { syntax: "words", operands: ["target..."], destroys: "secret", options: plain("-mount PATH") },
              "*": targets,
            },
          },
          get: {
            syntax: "words",
            operands: ["target..."],
            prints: "secret",
            options: plain("-field NAME, -format FORMAT, -mount PATH, -version N"),
          },
          "*": { syntax: "words", operands: ["target..."] },
        },
      },
      "secrets, auth, audit": {
        subcommands: {
          disable: { syntax: "words", operands: ["target..."], destroys: "secret" },
          "*": { syntax: "words", operands: ["target..."] },
        },
      },
      "policy, namespace, plugin": {
        subcommands: {
          "delete, deregister": { syntax: "words", operands: ["target..."], destroys: "secret" },
          "*": { syntax: "words", operands: ["target..."] },
        },
      },
      "token, lease": {
        subcommands: {
          revoke: {
            syntax: "words",
            operands: ["target..."],
            destroys: "secret",
            options: plain("-prefix, -force, -accessor, -self, -mode MODE"),
          },
          "*": { syntax: "words", operands: ["target..."] },
        },
      },
      operator: { subcommands: { "seal, step-down": { destroys: "secret" }, "*": { syntax: "words", operands: ["target..."] } } },
      read: { syntax: "words", operands: ["target..."], prints: "secret", options: plain("-field NAME, -format FORMAT") },
      "*": { syntax: "words", operands: ["target..."] },
    },
    examples: {
      "vault kv destroy -versions=2 secret/x": { destroys: ["secret"], verb: "kv destroy", target: ["secret/x"] },
      "vault kv list team/": { destroys: [] },
      "vault auth disable github/": { destroys: ["secret"] },
    },
  },
  {
    names: ["op"],
    also: ["doppler", "bw", "lpass", "infisical", "chamber", "keyring", "sops", "age", "akeyless", "berglas", "teller"],
    options: plain(
      "--vault NAME, --account NAME, --project -p NAME, --config -c NAME, --env NAME, --format FORMAT, --session KEY, -y --yes, -f --force, -r --recursive, --archive",
    ),
    verbs: {
      "run, exec": {
        operands: ["command"],
        options: plain("--env-file FILE, --no-masking, --command COMMAND, --path PATH, --project NAME, --config NAME"),
      },
      "delete, rm, remove, purge, revoke, clear, forget": { operands: ["target..."], destroys: "secret" },
      signin: { operands: ["text..."], prints: "setup" },
      "get, read, show, reveal, lookup, download, export, decrypt, inject": { operands: ["target..."], prints: "secret" },
      "list, ls, whoami, create, add, edit, set, update, insert, generate, find, search, status, login, logout, sync, init, version, upload, open, import":
        { operands: ["target..."] },
    },
    examples: {
      "op item delete Login": { verb: "item delete", destroys: ["secret"] },
      "op item list": { destroys: [] },
      "doppler run -- rm x": { program: "rm", via: ["doppler"] },
    },
  },
  {
    names: ["pass", "gopass"],
    operands: ["target..."],
    prints: "secret",
    subcommands: {
      "show, grep": { operands: ["target..."], prints: "secret", reads: ["~/.password-store/*"] },
      "rm remove delete": { operands: ["target..."], destroys: "secret", options: plain("-r --recursive, -f --force") },
      "ls list, find search, init, insert add, edit, generate, mv rename, cp copy, git, help, version": { operands: ["target..."] },
    },
    options: plain("-c --clip [LINE], -q --qrcode [LINE]"),
    examples: {
      "pass show web/db": { reads: ["~/.password-store/*"] },
      "pass ls": { verb: "ls" },
      "pass rm -rf web": { destroys: ["secret"] },
    },
  },
  {
    names: ["secret-tool"],
    subcommands: {
      lookup: { operands: ["target..."], prints: "secret", reads: ["~/.local/share/keyrings/*"] },
      clear: { operands: ["target..."], destroys: "secret" },
      "*": { operands: ["target..."] },
    },
    examples: { "secret-tool lookup a b": { reads: ["~/.local/share/keyrings/*"] }, "secret-tool clear a b": { destroys: ["secret"] } },
  },
  {
    names: ["restic", "rustic"],
    options: {
      "-n --dry-run": { isDryRun: true },
      ...plain(
        "-r --repo REPO, -p --password-file FILE, --repository-file FILE, --password-command COMMAND, --json, -q --quiet, -v --verbose, --no-cache, --no-lock, --cache-dir DIR, -o --option VALUE, --limit-upload N, --tag TAG, --host -H NAME, --path PATH, --retry-lock TIME",
      ),
    },
    subcommands: {
      forget: {
        operands: ["target..."],
        destroys: "backup",
        options: {
          ...plain(
            "--prune, -l --keep-last N, --keep-hourly N, -d --keep-daily N, -w --keep-weekly N, -m --keep-monthly N, -y --keep-yearly N, --keep-within TIME, --keep-tag TAG, --group-by KEYS, -c --compact",
          ),
        },
      },
      prune: { destroys: "backup", options: plain("--max-unused SIZE, --max-repack-size SIZE, --repack-cacheable-only") },
      key: { subcommands: { remove: { operands: ["target..."], destroys: "backup" }, "*": targets } },
      rewrite: {
        operands: ["target..."],
        options: { "--forget": { destroys: "backup" }, ...plain("-e --exclude PATTERN, --exclude-file FILE") },
      },
      backup: {
        operands: ["read..."],
        options: plain(
          "-e --exclude PATTERN, --exclude-file FILE, --files-from FILE, -x --one-file-system, --stdin, --stdin-filename NAME, -f --force, --parent ID",
        ),
      },
      restore: {
        operands: ["target..."],
        options: {
          "-t --target DIR": { value: "write" },
          "--delete": { recursive: true },
          ...plain("-i --include PATTERN, -e --exclude PATTERN, --verify, --overwrite MODE"),
        },
      },
      "*": targets,
    },
    examples: {
      "restic forget --keep-last 3 --prune": { destroys: ["backup"] },
      "restic snapshots": { destroys: [] },
      "restic prune --dry-run": { destroys: [] },
    },
  },
  {
    names: ["borg", "borgmatic"],
    also: [
      "duplicity",
      "duplicati-cli",
      "kopia",
      "bacula",
      "bconsole",
      "tarsnap",
      "rdiff-backup",
      "pgbackrest",
      "barman",
      "wal-g",
      "wal-e",
    ],
    options: {
      "-n --dry-run": { isDryRun: true },
      ...plain(
        "--stats, --list, -v --verbose, --info, -p --progress, --lock-wait N, --remote-path PATH, -r --repo REPO, -a --glob-archives GLOB, -P --prefix PREFIX, --stanza NAME, --force, --config FILE, -c FILE",
      ),
    },
    subcommands: {
      "delete, prune, compact": {
        operands: ["target..."],
        destroys: "backup",
        options: plain(
          "--keep-last N, --keep-daily -d N, --keep-weekly -w N, --keep-monthly -m N, --keep-yearly -y N, --keep-within TIME, --cache-only, --threshold N, --save-space",
        ),
      },
      "remove-older-than, remove-all-but-n-full, remove-all-inc-of-but-n-full, cleanup, expire, stanza-delete, delete-backup": {
        operands: ["target..."],
        destroys: "backup",
      },
      recreate: { operands: ["target..."], destroys: "backup" },
      "snapshot, policy, repository": {
        subcommands: { "delete, expire": { operands: ["target..."], destroys: "backup", options: plain("--delete, --all") }, "*": targets },
      },
      "*": { operands: ["target..."] },
    },
    examples: {
      "borg delete ~/repo::monday": { destroys: ["backup"] },
      "borg prune --dry-run --keep-daily 7 ~/repo": { destroys: [] },
      "borg list ~/repo": { destroys: [] },
    },
  },
  {
    names: ["rabbitmqctl"],
    also: ["rabbitmqadmin", "rabbitmq-plugins", "rabbitmq-diagnostics", "rabbitmq-queues"],
    options: plain(
      "-n --node NAME, -p --vhost NAME, -q --quiet, -t --timeout N, -H --host HOST, -P --port PORT, -u --username NAME, -V NAME, --formatter NAME, -f --format FORMAT",
    ),
    subcommands: {
      "delete_*, reset, force_reset, purge_queue, clear_*, forget_cluster_node, delete, purge, stop, stop_app, shutdown, close_all_connections":
        {
          operands: ["target..."],
          destroys: "infrastructure",
          options: plain("--if-empty, --if-unused, --offline"),
        },
      "*": targets,
    },
    examples: {
      "rabbitmqctl delete_vhost old": { destroys: ["infrastructure"], verb: "delete_vhost" },
      "rabbitmqctl list_queues": { destroys: [] },
      "rabbitmqctl reset": { destroys: ["infrastructure"] },
    },
  },
  {
    names: ["wrangler"],
    options: plain("-c --config FILE, -e --env NAME, --cwd DIR, -y --yes, --skip-confirmation, --remote, --local, --json"),
    subcommands: {
      d1: {
        subcommands: {
          execute: {
            operands: ["target"],
            options: { "--command SQL": { value: "sql" }, "--file FILE": { value: "sql-file" }, ...plain("--persist-to DIR, --preview") },
          },
          delete: { operands: ["target..."], destroys: "database" },
          "time-travel": { subcommands: { restore: { operands: ["target..."], destroys: "database" }, "*": targets } },
          "*": targets,
        },
      },
      secret: { subcommands: { "delete, bulk": { operands: ["target..."], destroys: "secret" }, "*": targets } },
      "delete, rollback": { operands: ["target..."], destroys: "infrastructure" },
      "kv, r2, queues, pages, hyperdrive, vectorize, workflows, dispatch-namespace, mtls-certificate, pipelines, containers": {
        options: plain("--namespace-id ID, --binding NAME"),
        verbs: {
          "delete, remove, purge": { operands: ["target..."], destroys: "infrastructure" },
          "list, get, put, create, info, update, deploy, dev, rename, status, bulk, describe": targets,
        },
      },
      "*": targets,
    },
    examples: {
      "wrangler kv namespace delete --namespace-id 1": { destroys: ["infrastructure"] },
      "wrangler d1 execute shop --command 'DELETE FROM a'": { sql: ["delete a"] },
      "wrangler d1 execute shop --command 'SELECT 1'": { destroys: [] },
      "wrangler deploy": { destroys: [] },
    },
  },
  {
    names: ["kafka-topics", "kafka-topics.sh"],
    also: [
      "kafka-acls",
      "kafka-acls.sh",
      "kafka-configs",
      "kafka-configs.sh",
      "kafka-consumer-groups",
      "kafka-consumer-groups.sh",
      "kafka-delete-records",
      "kafka-delete-records.sh",
      "kafka-streams-application-reset",
    ],
    operands: ["target..."],
    options: {
      "--delete": { destroys: "infrastructure" },
      "--remove": { destroys: "infrastructure" },
      "--reset-offsets": { destroys: "infrastructure" },
      "--delete-offsets": { destroys: "infrastructure" },
      "--dry-run": { destroys: "nothing" },
      "--offset-json-file FILE": { destroys: "infrastructure" },
      ...plain(
        "--bootstrap-server --zookeeper HOST, --topic NAME, --group NAME, --list, --describe, --create, --alter, --partitions N, --replication-factor N, --config VALUE, --command-config FILE, --execute, --to-earliest, --to-latest, --all-topics, --all-groups, --add-config VALUE, --delete-config VALUE, --entity-type TYPE, --entity-name NAME, --add, --allow-principal NAME, --operation NAME, --force, --if-exists, --if-not-exists, --to-offset N, --state, --members",
      ),
    },
    examples: {
      "kafka-topics --bootstrap-server h:9092 --delete --topic x": { destroys: ["infrastructure"] },
      "kafka-topics.sh --list --bootstrap-server h:9092": { destroys: [] },
    },
  },
  {
    isScript: true,
    names: ["nats"],
    also: [
      "kcat",
      "pulsar-admin",
      "rpk",
      "aiven",
      "confluent",
      "temporal",
      "tctl",
      "airflow",
      "celery",
      "dapr",
      "gitlab-runner",
      "circleci",
      "buildkite-agent",
      "travis",
      "drone",
      "woodpecker-cli",
      "jenkins-cli",
      "jenkins-cli.jar",
      "nginx",
      "haproxy",
      "kong",
      "deck",
      "traefik",
      "promtool",
      "amtool",
      "grafana-cli",
      "ddog",
      "datadog-ci",
      "newrelic",
      "pd",
      "splunk",
      "sentry-cli",
      "ldcli",
      "launchdarkly",
      "unleash",
      "flipt",
      "stripe",
      "twilio",
      "sendgrid",
      "algolia",
      "meilisearch",
      "elasticdump",
      "curator_cli",
      "consul-template",
      "influx",
      "snow",
      "databricks",
      "cf",
      "flarectl",
      "fastly",
      "ibmcloud",
      "oci",
      "linode-cli",
      "hcloud",
      "scw",
      "vultr-cli",
      "civo",
      "ovhcloud",
      "openstack",
      "nova",
      "exo",
      "upctl",
      "railway",
      "helmfile",
      "pvesh",
      "render",
      "netlify",
      "surge",
      "firebase",
      "expo",
      "eas",
      "appwrite",
      "nhost",
      "convex",
      "neonctl",
      "neon",
      "pscale",
      "turso",
      "xata",
      "upstash",
      "edgedb",
      "gel",
      "hasura",
      "fauna",
      "shopify",
      "wp",
      "drush",
      "acli",
      "jira",
      "dnscontrol",
      "octodns-sync",
      "lego",
      "certbot",
      "apigee",
      "eb",
      "tkn",
      "duplicacy",
      "vsce",
      "ovsx",
      "scalr",
      "tfc",
      "spacelift",
      "apigeecli",
    ],
    options: {
      "--dry-run --dryrun": { destroys: "nothing" },
      ...plain(
        "-y --yes, -f --force, -p --project --profile NAME, -e --env --environment NAME, -c --config FILE, -s --server --stack NAME, -o --output --org NAME, --token TOKEN, --url URL, --name NAME, --region NAME, --context NAME, -n --namespace NAME, --json, -t --type NAME, -a --app NAME",
      ),
    },
    verbs: {
      "delete, destroy, rm, remove, purge, drop, unregister, uninstall, terminate, teardown, down, unset, unpublish, empty, prune, del, erase, wipe, kill, rmm, clear, reset, flush, delete-*, remove-*, disable, revoke":
        { operands: ["target..."], destroys: "infrastructure" },
      "db:reset, sql:drop, sql-drop, sites:delete, env:unset, projects:delete, firestore:delete, database:remove, functions:delete, hosting:disable, apps:destroy, apps:delete, site:delete, branch:delete, post:delete, db:drop, migrate:fresh, migrate:reset, migrate:refresh, db:wipe":
        { operands: ["target..."], destroys: "infrastructure" },
      "list, ls, get, info, show, describe, status, version, create, add, update, set, deploy, publish, push, pull, dev, start, login, logout, whoami, init, help, logs, log, search, test, validate, run, build, register, restart, stats, report, check, view, tail, ping, edit, use":
        { operands: ["target..."] },
    },
    examples: {
      "nats stream rm ORDERS -f": { verb: "stream rm", destroys: ["infrastructure"] },
      "nats stream info ORDERS": { destroys: [] },
      "gitlab-runner unregister --all-runners": { destroys: ["infrastructure"] },
      "netlify sites:delete abc": { destroys: ["infrastructure"] },
      "firebase deploy": { destroys: [] },
    },
  },
];
