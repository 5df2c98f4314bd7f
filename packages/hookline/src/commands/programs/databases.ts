import type { CommandEntry, OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const targets: CommandEntry = { operands: ["target..."] };
const wipes: CommandEntry = { operands: ["target..."], destroys: "database" };
const pgConnection: OptionTable = plain(
  "-h --host HOST, -p --port PORT, -U --username NAME, -w --no-password, -W --password, -d --dbname NAME, -e --echo, -v --verbose, -q --quiet",
);
const mysqlConnection: OptionTable = {
  "--defaults-file --defaults-extra-file FILE": {},
  ...plain(
    "-h --host HOST, -P --port PORT, -u --user NAME, -p --password [TEXT], -S --socket PATH, --protocol TYPE, --ssl-mode MODE, --ssl-ca FILE, -C --compress, --default-character-set NAME, -v --verbose, --login-path NAME, --connect-timeout N, --single-transaction, --no-defaults",
  ),
};

/** Database clients, their tools, and migrations. */
export const databasePrograms: readonly ProgramEntry[] = [
  {
    names: ["psql", "pgcli", "ysqlsh"],
    operands: ["text..."],
    stdin: "sql",
    options: {
      ...pgConnection,
      "-c --command SQL": { value: "sql" },
      "-f --file FILE": { value: "sql-file" },
      "-o --output FILE": { value: "write" },
      "-L --log-file FILE": { value: "write" },
      "-l --list": {},
      ...plain(
        "-a --echo-all, -A --no-align, -b --echo-errors, -E --echo-hidden, -F --field-separator SEP, -H --html, -n --no-readline, -P --pset VALUE, -R --record-separator SEP, -s --single-step, -S --single-line, -t --tuples-only, -T --table-attr TEXT, --set VALUE, -V --version, -x --expanded, -X --no-psqlrc, -z --field-separator-zero, -0 --record-separator-zero, -1 --single-transaction, --csv",
      ),
    },
    examples: {
      "psql -d shop -c 'DROP TABLE carts'": { sql: ["drop table carts"] },
      "psql mydb -tAc \"select 'drop table x' from a where b = 1\"": { sql: ["select a where"] },
      "echo 'TRUNCATE carts;' | psql mydb": { sql: ["truncate carts"] },
      "psql -f schema.sql": { reads: ["schema.sql"] },
      "psql <<'EOF'\nDELETE FROM carts;\nEOF": { sql: ["delete carts"] },
    },
  },
  {
    names: ["mysql", "mariadb", "mycli"],
    operands: ["text..."],
    stdin: "sql",
    options: {
      ...mysqlConnection,
      "-e --execute SQL": { value: "sql" },
      "--tee FILE": { value: "write" },
      "--init-command SQL": { value: "sql" },
      ...plain(
        "-D --database NAME, -N --skip-column-names, -B --batch, -s --silent, -r --raw, -t --table, -X --xml, -H --html, -E --vertical, -f --force, -A --no-auto-rehash, -n --unbuffered, -q --quick, --pager [COMMAND], --delimiter TEXT, -U --safe-updates, -V --version, -w --wait, --local-infile [VALUE]",
      ),
    },
    examples: {
      "mysql -u root -psecret shop -e 'DELETE FROM carts'": { sql: ["delete carts"] },
      "mysql -e \"UPDATE carts SET n = 'where'\"": { sql: ["update carts"] },
      "mysql -e 'SHOW TABLES'": { sql: ["show tables"] },
    },
  },
  {
    names: ["sqlite3", "sqlite", "litecli"],
    also: ["duckdb", "libsql", "rqlite"],
    syntax: "words",
    operands: ["edit", "sql..."],
    stdin: "sql",
    options: {
      "-cmd COMMAND": { value: "sql" },
      "-c COMMAND": { value: "sql" },
      "-init FILE": { value: "read" },
      "-readonly": { turns: { edit: "read" } },
      ...plain(
        "-batch, -bail, -column, -csv, -header, -noheader, -html, -json, -line, -list, -markdown, -quote, -table, -box, -separator SEP, -nullvalue TEXT, -newline SEP, -interactive, -echo, -stats, -version, -safe, -ascii, -tabs, -s COMMAND",
      ),
    },
    examples: {
      "sqlite3 app.db 'DROP TABLE carts;'": { sql: ["drop table carts"], writes: ["app.db"] },
      "sqlite3 -readonly app.db .tables": { writes: [], reads: ["app.db"] },
      "sqlite3 -header app.db 'SELECT * FROM carts'": { sql: ["select carts"] },
    },
  },
  {
    names: ["clickhouse-client", "clickhouse", "clickhouse-local"],
    also: [
      "sqlcmd",
      "mssql-cli",
      "sqlplus",
      "usql",
      "cqlsh",
      "trino",
      "presto",
      "beeline",
      "hive",
      "impala-shell",
      "isql",
      "vsql",
      "db2",
      "osqueryi",
      "surreal",
      "snowsql",
      "spark-sql",
      "spark-beeline",
      "phoenix-sqlline",
      "mclient",
      "duckdb-cli",
    ],
    syntax: "gnu",
    operands: ["text..."],
    stdin: "sql",
    options: {
      "-q --query --execute -e -c --command SQL": { value: "sql" },
      "-Q SQL": { value: "sql" },
      "-f --file --queries-file FILE": { value: "sql-file" },
      "-i --input-file FILE": { value: "sql-file" },
      "-o --output FILE": { value: "write" },
      ...plain(
        "-h --host HOST, --port PORT, -u --user USER, --password TEXT, -d --database NAME, -S --server HOST, -U NAME, -P TEXT, -s --secure, -n --multiquery, -m --multiline, --format FORMAT, -t, -b, -E, -C, -k --keyspace NAME, --json",
      ),
    },
    examples: {
      "clickhouse-client --query 'TRUNCATE TABLE logs'": { sql: ["truncate table logs"] },
      "sqlcmd -S h -Q 'drop database shop'": { sql: ["drop database shop"] },
      "cqlsh -e 'select * from a.b'": { sql: ["select a.b"] },
    },
  },
  {
    names: ["cockroach"],
    options: plain("--host HOST, --url URL, --insecure, --certs-dir DIR, -d --database NAME, -u --user NAME"),
    subcommands: {
      sql: { stdin: "sql", options: { "-e --execute SQL": { value: "sql" }, "-f --file FILE": { value: "sql-file" } } },
      "*": targets,
    },
    examples: { "cockroach sql -e 'DROP DATABASE shop'": { sql: ["drop database shop"] }, "cockroach version": { sql: [] } },
  },
  {
    names: ["bq"],
    options: plain("--project_id NAME, --dataset_id NAME, --location NAME, -q --quiet, --format FORMAT"),
    subcommands: {
      query: {
        operands: ["sql..."],
        stdin: "sql",
        options: plain("--use_legacy_sql [VALUE], --nouse_legacy_sql, -n --max_rows N, --dry_run, --destination_table NAME"),
      },
      "rm, cancel, truncate": { operands: ["target..."], destroys: "database", options: plain("-r --recursive, -f --force, -t, -d, -m") },
      "*": targets,
    },
    examples: {
      "bq rm -r -f shop": { destroys: ["database"] },
      "bq query --nouse_legacy_sql 'DROP TABLE a.b'": { sql: ["drop table a.b"] },
      "bq ls": { destroys: [] },
    },
  },
  {
    names: ["sqitch"],
    options: plain("--engine NAME, --target NAME, -q --quiet, -v --verbose, --plan-file FILE, --top-dir DIR"),
    subcommands: { revert: { operands: ["target..."], destroys: "database", options: plain("-y, --to -t REF, --log-only") }, "*": targets },
    examples: { "sqitch revert -y": { destroys: ["database"] }, "sqitch deploy": { destroys: [] } },
  },
  {
    names: ["console"],
    isScript: true,
    options: plain("-e --env NAME, -n --no-interaction, -q --quiet, -v --verbose"),
    subcommands: {
      "doctrine:database:drop, doctrine:schema:drop, doctrine:mongodb:schema:drop": {
        operands: ["target..."],
        destroys: "database",
        options: { "--dump-sql": { destroys: "nothing" }, ...plain("--force -f, --if-exists, --full-database") },
      },
      "*": targets,
    },
    examples: {
      "php bin/console doctrine:schema:drop --force": { program: "console", destroys: ["database"], via: ["php"] },
      "php bin/console cache:clear": { program: "console", destroys: [] },
    },
  },
  {
    names: ["dropdb"],
    also: ["dropuser"],
    ...wipes,
    options: { ...pgConnection, ...plain("-i --interactive, -f --force, --if-exists, --maintenance-db NAME") },
    examples: { "dropdb --if-exists shop": { destroys: ["database"], target: ["shop"] } },
  },
  {
    names: ["createdb"],
    also: ["createuser", "pg_isready", "vacuumdb", "reindexdb", "clusterdb", "pg_config", "pg_controldata"],
    operands: ["target..."],
    options: pgConnection,
    examples: { "createdb shop": { destroys: [] } },
  },
  {
    names: ["pg_dump", "pg_dumpall"],
    also: ["pg_basebackup"],
    operands: ["text..."],
    // The data of a database, which is private.
    prints: "secret",
    options: {
      ...pgConnection,
      "-f --file FILE": { value: "write" },
      "-D --pgdata DIR": { value: "write" },
      ...plain(
        "-F --format FORMAT, -j --jobs N, -a --data-only, -s --schema-only, -c --clean, -C --create, -t --table NAME, -T --exclude-table NAME, -n --schema NAME, -N --exclude-schema NAME, -O --no-owner, -x --no-privileges, -Z --compress N, --if-exists, --inserts, --column-inserts, -E --encoding NAME, -X --wal-method METHOD, -P --progress, -R --write-recovery-conf",
      ),
    },
    examples: { "pg_dump -Fc -f a.dump shop": { writes: ["a.dump"] } },
  },
  {
    names: ["pg_restore"],
    operands: ["read"],
    stdin: "read",
    options: {
      ...pgConnection,
      "-c --clean": { destroys: "database" },
      "-l --list": { destroys: "nothing" },
      "-f --file FILE": { value: "write" },
      ...plain(
        "-C --create, -F --format FORMAT, -j --jobs N, -a --data-only, -s --schema-only, -t --table NAME, -n --schema NAME, -O --no-owner, -x --no-privileges, -1 --single-transaction, --if-exists, -L --use-list FILE, --no-acl, --role NAME, -e --exit-on-error",
      ),
    },
    examples: {
      "pg_restore --clean -d shop a.dump": { destroys: ["database"], reads: ["a.dump"] },
      "pg_restore -l a.dump": { destroys: [] },
    },
  },
  {
    names: ["pg_ctl"],
    also: ["pg_ctlcluster", "pg_dropcluster", "initdb", "pg_resetwal"],
    operands: ["target..."],
    options: {
      "-D --pgdata DIR": { value: "write" },
      ...plain("-m --mode MODE, -l --log FILE, -w, -W, -t SECONDS, -o OPTIONS, --stop, -f --force, -U NAME"),
    },
    examples: { "pg_ctl -D data stop": { target: ["stop"] } },
  },
  {
    names: ["mysqladmin", "mariadb-admin"],
    options: { ...mysqlConnection, ...plain("-f --force, -s --silent, -i --sleep N, -w --wait [N]") },
    subcommands: {
      "drop, shutdown, flush-hosts, kill": {
        operands: ["target..."],
        destroys: "database",
        options: { ...mysqlConnection, ...plain("-f --force") },
      },
      "*": targets,
    },
    examples: { "mysqladmin -u root -f drop shop": { verb: "drop", destroys: ["database"] }, "mysqladmin status": { destroys: [] } },
  },
  {
    names: ["mysqldump", "mariadb-dump", "mysqlpump"],
    operands: ["text..."],
    prints: "secret",
    options: {
      ...mysqlConnection,
      "-r --result-file FILE": { value: "write" },
      "-T --tab DIR": { value: "write" },
      ...plain(
        "-A --all-databases, -B --databases, -d --no-data, -t --no-create-info, --routines -R, --triggers, -E --events, -q --quick, --opt, -w --where TEXT, --ignore-table NAME, --add-drop-table, --hex-blob, -x --lock-all-tables, -l --lock-tables, --column-statistics VALUE, --set-gtid-purged VALUE",
      ),
    },
    examples: { "mysqldump shop > a.sql": { writes: ["a.sql"] } },
  },
  {
    names: ["mysqlimport", "mariadb-import"],
    also: ["mongoimport"],
    operands: ["text..."],
    options: {
      ...mysqlConnection,
      "-d --delete": { destroys: "database" },
      "--drop": { destroys: "database" },
      "--file FILE": { value: "read" },
      ...plain(
        "-c --collection --columns NAME, --db NAME, --type TYPE, --uri URI, --jsonArray, --headerline, -L --local, --fields-terminated-by SEP, --mode MODE",
      ),
    },
    examples: { "mongoimport --drop -c x --file a.json": { destroys: ["database"], reads: ["a.json"] } },
  },
  {
    names: ["mongosh", "mongo"],
    language: "mongo",
    operands: ["text?", "run..."],
    stdin: "run",
    options: {
      "--eval CODE": { value: "code" },
      "-f --file FILE": { value: "run" },
      ...plain(
        "--host HOST, --port PORT, -u --username NAME, -p --password TEXT, --authenticationDatabase NAME, --quiet, --norc, --nodb, --tls, --tlsCAFile FILE, --json [MODE], --shell, --ssl",
      ),
    },
    examples: {
      "mongosh shop --eval 'db.dropDatabase()'": { destroys: ["database"] },
      "mongosh --quiet --eval 'db.carts.drop()'": { destroys: ["database"] },
      "mongosh --eval 'db.carts.deleteMany({})'": { destroys: ["database"] },
      "mongosh --eval 'db.carts.find({a: 1})'": { destroys: [] },
      "mongosh --eval 'db.runCommand({ dropDatabase: 1 })'": { destroys: ["database"] },
    },
  },
  {
    names: ["mongorestore"],
    operands: ["read..."],
    options: {
      "--drop": { destroys: "database" },
      "--dryRun": { isDryRun: true },
      "--archive [FILE]": {},
      "--dir DIR": { value: "read" },
      ...plain(
        "--uri URI, -d --db NAME, -c --collection NAME, --host HOST, --port PORT, -u --username NAME, -p --password TEXT, --gzip, --nsInclude TEXT, --nsExclude TEXT, --authenticationDatabase NAME",
      ),
    },
    examples: { "mongorestore --drop dump": { destroys: ["database"] }, "mongorestore dump": { destroys: [] } },
  },
  {
    names: ["mongodump"],
    also: ["mongoexport", "mongostat", "mongotop", "mongofiles", "mongod", "mongos"],
    operands: ["text..."],
    options: {
      "-o --out FILE": { value: "write" },
      ...plain(
        "--uri URI, -d --db NAME, -c --collection NAME, --host HOST, --port PORT, --gzip, --archive [FILE], -q --query JSON, --dbpath DIR, -f --config FILE, --fork, --logpath FILE",
      ),
    },
    examples: { "mongodump -o dump": { writes: ["dump"] } },
  },
  {
    names: ["redis-cli", "valkey-cli", "keydb-cli", "iredis"],
    syntax: "posix",
    options: {
      "--eval FILE": { value: "run" },
      "--rdb FILE": { value: "write" },
      "--cluster": {},
      ...plain(
        "-h HOST, -p PORT, -s SOCKET, -a PASSWORD, --user NAME, --pass TEXT, --askpass, -u URI, -r N, -i N, -n DB, -2, -3, -x, -X TAG, -d DELIM, -D DELIM, -c, -e, --raw, --no-raw, --quoted-input, --csv, --json, --show-pushes VALUE, --stat, --latency, --bigkeys, --memkeys, --hotkeys, --scan, --pattern TEXT, --tls, --cacert FILE, --cert FILE, --key FILE, --insecure, --pipe, --no-auth-warning, --verbose",
      ),
    },
    stdin: "lines",
    subcommands: {
      "flushall, flushdb, shutdown, debug, swapdb, failover": { operands: ["target..."], destroys: "database", syntax: "none" },
      "script, function": {
        subcommands: { flush: { destroys: "database", operands: ["target..."] }, "*": targets },
        syntax: "none",
      },
      config: { operands: ["target..."], syntax: "none", verbWords: 1 },
      eval: { operands: ["text..."], syntax: "none" },
      "*": { operands: ["target..."], syntax: "none" },
    },
    examples: {
      "redis-cli -h h -n 2 FLUSHDB": { destroys: ["database"], verb: "flushdb" },
      "echo 'FlushAll' | redis-cli -h h": { program: "redis-cli", destroys: ["database"] },
      "redis-cli get a": { destroys: [] },
      "redis-cli flushall async": { destroys: ["database"] },
    },
  },
  {
    names: ["prisma"],
    isScript: true,
    options: plain("--schema FILE, --config FILE, -h --help, -v --version"),
    subcommands: {
      migrate: {
        subcommands: {
          reset: { destroys: "database", options: plain("-f --force, --skip-generate, --skip-seed, --schema FILE") },
          "*": targets,
        },
      },
      db: {
        subcommands: {
          push: {
            options: {
              "--force-reset": { destroys: "database" },
              "--accept-data-loss": { destroys: "database" },
              ...plain("--skip-generate, --schema FILE"),
            },
          },
          execute: { stdin: "sql", options: { "--file FILE": { value: "sql-file" }, ...plain("--url URL, --stdin, --schema FILE") } },
          "*": targets,
        },
      },
      "*": targets,
    },
    examples: {
      "prisma migrate reset --force": { destroys: ["database"], verb: "migrate reset" },
      "npx prisma@6 db push --force-reset": { program: "prisma", destroys: ["database"], via: ["npx"] },
      "prisma db push": { destroys: [] },
      "prisma migrate dev": { destroys: [] },
    },
  },
  {
    names: ["supabase"],
    isScript: true,
    options: plain("--workdir DIR, --project-ref REF, --debug, --experimental, --linked, --local, --db-url URL, --yes"),
    subcommands: {
      db: {
        subcommands: {
          reset: { destroys: "database", options: plain("--linked, --local, --db-url URL, --version TEXT, --no-seed") },
          push: { options: { "--dry-run": { isDryRun: true }, ...plain("--include-all, --include-seed, --linked, --password -p TEXT") } },
          "*": targets,
        },
      },
      stop: { options: { "--no-backup": { destroys: "database" }, ...plain("--all") } },
      "projects, branches, functions, secrets, domains, orgs, storage, network-bans": {
        subcommands: { "delete, unset, rm, remove": { operands: ["target..."], destroys: "infrastructure" }, "*": targets },
      },
      "*": { verbWords: 0, operands: ["target..."] },
    },
    examples: {
      "supabase db reset --linked": { destroys: ["database"] },
      "supabase start": { destroys: [] },
      "supabase projects delete abc": { destroys: ["infrastructure"] },
    },
  },
  {
    names: ["drizzle-kit"],
    isScript: true,
    subcommands: {
      push: { options: { "--force": { destroys: "database" }, ...plain("--config FILE, --strict, --verbose, --dialect NAME, --url URL") } },
      drop: { destroys: "database" },
      "*": targets,
    },
    examples: { "drizzle-kit push --force": { destroys: ["database"] }, "drizzle-kit generate": { destroys: [] } },
  },
  {
    names: ["knex"],
    also: [
      "sequelize",
      "sequelize-cli",
      "typeorm",
      "typeorm-ts-node-commonjs",
      "mikro-orm",
      "kysely",
      "adonis",
      "ace",
      "node-pg-migrate",
      "db-migrate",
      "umzug",
      "payload",
      "strapi",
      "medusa",
      "blitz",
      "redwood",
      "rw",
      "wasp",
      "keystone",
    ],
    options: plain("--env NAME, --config FILE, --knexfile FILE, -d --dataSource FILE, --url URL, -f --force, --schema FILE"),
    verbs: {
      "db:drop, db:migrate:undo:all, schema:drop, schema:fresh, migration:fresh, migrate:fresh, migrate:reset, migrate:refresh, db:wipe, db:reset, reset, drop, fresh, migration:drop, schema:sync":
        wipes,
      "migrate:rollback": { operands: ["target..."], options: { "--all": { destroys: "database" } } },
      "migrate:latest, migrate:make, migrate:up, migrate:down, migrate:list, migrate:status, db:migrate, db:seed, migration:run, migration:create, migration:generate, migration:up, schema:update, up, down, seed:run, create, dev, build, start":
        targets,
    },
    examples: {
      "sequelize db:drop": { destroys: ["database"] },
      "typeorm schema:drop -d x.ts": { destroys: ["database"] },
      "knex migrate:latest": { destroys: [] },
      "knex migrate:rollback --all": { destroys: ["database"] },
      "knex migrate:rollback": { destroys: [] },
    },
  },
  {
    names: ["rails", "rake"],
    isScript: true,
    language: "ruby",
    options: {
      "-f --rakefile FILE": { value: "run" },
      "-e --environment NAME": {},
      ...plain("-T --tasks [PATTERN], -t --trace [OUT], -q --quiet, -s --silent, -n --dry-run, -j --jobs N, -P"),
    },
    subcommands: {
      "db:drop, db:drop:*, db:reset, db:reset:*, db:seed:replant, db:purge, db:purge:*, db:truncate_all, db:schema:load, db:schema:load:*, db:setup, db:migrate:reset, db:structure:load":
        wipes,
      "runner, r": { operands: ["code", "text..."], options: plain("-e --environment NAME") },
      "*": targets,
    },
    examples: {
      "rails db:drop RAILS_ENV=test": { destroys: ["database"], verb: "db:drop" },
      "rails db:migrate": { destroys: [] },
      "rake db:reset": { destroys: ["database"] },
      "rails runner 'Cart.delete_all'": { destroys: ["database"] },
    },
  },
  {
    names: ["manage.py", "django-admin"],
    isScript: true,
    options: plain("--settings NAME, --pythonpath DIR, -v --verbosity N, --traceback, --no-color"),
    subcommands: {
      "flush, reset_db": {
        operands: ["target..."],
        destroys: "database",
        options: plain("--no-input --noinput, --database NAME, -c --close-sessions"),
      },
      migrate: {
        operands: ["target..."],
        // `migrate app zero` undoes every migration of the app.
        verbs: { zero: wipes },
        options: {
          "--plan": { isDryRun: true },
          "--check": { isDryRun: true },
          ...plain("--fake, --fake-initial, --run-syncdb, --database NAME, --no-input --noinput, --prune"),
        },
      },
      dbshell: { stdin: "sql", options: plain("--database NAME") },
      shell: { stdin: "run", options: { "-c --command CODE": { value: "code" }, ...plain("-i --interface NAME, --plain") } },
      "*": targets,
    },
    examples: {
      "python manage.py flush --no-input": { program: "manage.py", destroys: ["database"], via: ["python"] },
      "django-admin startproject x": { destroys: [] },
      "./manage.py migrate": { program: "manage.py", destroys: [] },
      "./manage.py migrate shop zero": { program: "manage.py", destroys: ["database"] },
      "./manage.py migrate shop 0003": { program: "manage.py", destroys: [] },
    },
  },
  {
    names: ["alembic"],
    also: [
      "flask",
      "goose",
      "dbmate",
      "migrate",
      "atlas",
      "liquibase",
      "flyway",
      "refinery",
      "diesel",
      "sqlx",
      "sea-orm-cli",
      "ecto",
      "tern",
      "golang-migrate",
      "yoyo",
      "aerich",
      "bytebase",
      "dbt",
    ],
    options: {
      "--dry-run": { destroys: "nothing" },
      ...plain(
        "-c --config FILE, -n --name NAME, -x VALUE, --sql, -u --url -url URL, -d --migrations-dir -dir --dir DIR, -path PATH, -database URL, -source URL, -e --env NAME, --app NAME, -y --yes, -f --force, --auto-approve, -v --verbose, -s --schemas NAME, --profile NAME, --target NAME",
      ),
    },
    verbs: {
      "drop, clean, reset, drop-all, dropAll, fresh, wipe, db:drop": wipes,
      // `downgrade base` goes back to the state before the first migration.
      "base, zero, 0": wipes,
      "down, rollback, revert": { operands: ["target..."], options: { "-all --all": { destroys: "database" } } },
      "upgrade, current, history, heads, revision, stamp, show, init, up, status, create, new, run, migrate, info, validate, repair, baseline, update, diff, apply, inspect, redo, version, build, test, compile, deps, prepare, add, setup, generate, routes, shell":
        targets,
    },
    examples: {
      "flyway clean": { destroys: ["database"] },
      "dbmate drop": { destroys: ["database"] },
      "alembic upgrade head": { destroys: [] },
      "alembic downgrade base": { destroys: ["database"] },
      "alembic downgrade -1": { destroys: [] },
      "goose -dir m postgres x down-to 0": { destroys: ["database"] },
      "diesel database reset": { destroys: ["database"] },
      "sqlx database drop -y": { destroys: ["database"] },
    },
  },
  {
    names: ["artisan"],
    isScript: true,
    subcommands: {
      "migrate:fresh, migrate:reset, migrate:refresh, db:wipe, schema:drop": wipes,
      tinker: { stdin: "run", options: { "--execute CODE": { value: "code" } } },
      "*": targets,
    },
    language: "php",
    examples: {
      "php artisan migrate:fresh --seed": { program: "artisan", destroys: ["database"], via: ["php"] },
      "php artisan migrate": { program: "artisan", destroys: [] },
    },
  },
  {
    names: ["mix"],
    subcommands: { "ecto.drop, ecto.reset, ecto.rollback": wipes, "*": { operands: ["target..."] } },
    examples: { "mix ecto.reset": { destroys: ["database"] }, "mix test": { destroys: [] } },
  },
  {
    names: ["influxd"],
    also: ["etcdutl", "couchdb", "cypher-shell", "arangosh", "memcached", "elasticsearch", "opensearch"],
    operands: ["target..."],
    options: plain("-u --username NAME, -p --password TEXT, -a --address URL, -d --database NAME, -f --file FILE"),
    examples: { "cypher-shell -u neo4j": { destroys: [] } },
  },
  {
    names: ["neo4j-admin"],
    also: ["nodetool", "cbt", "memcflush", "mongocli"],
    options: plain("-u --username NAME, -p --password TEXT, -h --host HOST, -f --force, --project NAME, --instance NAME, --projectId ID"),
    verbs: {
      "delete, drop, clean, terminate, decommission, removenode, assassinate, clearsnapshot, truncatehints, deletetable, deletefamily, deleterow, deleteallrows, deleteinstance":
        wipes,
      "list, ls, status, info, describe, dump, load, backup, restore, create, read, lookup, count, apply, inspect, diff, check, start, stop, snapshot, flush, repair, compact":
        { operands: ["target..."] },
    },
    examples: {
      "nodetool clearsnapshot --all": { destroys: ["database"] },
      "cbt deletetable logs": { destroys: ["database"] },
      "neo4j-admin database dump a": { destroys: [] },
      "nodetool status": { destroys: [] },
    },
  },
];
