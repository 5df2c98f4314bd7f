import type { OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const quiet: OptionTable = plain("-q --quiet, -v --verbose, -h --help");
const dryRun: OptionTable = { "-n --dry-run": { isDryRun: true } };
const messages: OptionTable = {
  "-F --file FILE": { value: "read" },
  ...plain(
    "-m --message TEXT, -e --edit, --no-edit, -s --signoff, --no-signoff, -S --gpg-sign [KEY], --no-gpg-sign, --cleanup MODE, --trailer TEXT, -t --template FILE",
  ),
};
const mergeOptions: OptionTable = {
  ...messages,
  ...plain(
    "--abort, --continue, --quit, --skip, --ff, --no-ff, --ff-only, --squash, --no-squash, --commit, --no-commit, --stat, -n --no-stat, --log [N], -s --strategy NAME, -X --strategy-option OPTION, --autostash, --no-autostash, --allow-unrelated-histories, --rerere-autoupdate, --no-verify, --verify-signatures, --into-name NAME, --progress",
  ),
};
const logOptions: OptionTable = {
  "--output FILE": { value: "write" },
  "-O FILE": {},
  ...plain(
    "-n --max-count N, --skip N, --since --after DATE, --until --before DATE, --author PATTERN, --committer PATTERN, --grep PATTERN, -i --regexp-ignore-case, -E --extended-regexp, -F --fixed-strings, -P --perl-regexp, --all, --branches [PATTERN], --tags [PATTERN], --remotes [PATTERN], --graph, --oneline, --pretty [FORMAT], --format FORMAT, --abbrev-commit, --abbrev [N], --decorate [MODE], --stat [WIDTH], --numstat, --shortstat, --name-only, --name-status, --summary, -p -u --patch, -s --no-patch, -U --unified N, --raw, -M --find-renames [N], -C --find-copies [N], -S TEXT, -G REGEX, --follow, -L RANGE, --reverse, --first-parent, --merges, --no-merges, --date FORMAT, --color [WHEN], --no-color, -w --ignore-all-space, -b --ignore-space-change, --word-diff [MODE], --cached --staged, --diff-filter FILTER, --check, --exit-code, --quiet, --no-index, --relative [PATH], --ext-diff, --no-ext-diff, --textconv, --cherry-pick, --left-right, --walk-reflogs -g, --merge-base, -z, -R, -t, -m, -c, --cc, --patience, --histogram, --minimal, --src-prefix PREFIX, --dst-prefix PREFIX, --no-prefix, --binary, --full-index, --show-signature, -1, -2, -3, -5",
  ),
  "--name-only": { prints: "names" },
  "--no-index": { turns: { "git-object": "read" } },
};

/** `git`: what loses work, rewrites history, reaches a remote, or decides what runs. */
export const gitPrograms: readonly ProgramEntry[] = [
  {
    names: ["git"],
    options: {
      "-C PATH": { value: "dir" },
      "-c CONFIG": {
        value: "setting",
        settings: {
          "core.pager core.editor core.sshcommand core.askpass core.fsmonitor sequence.editor diff.external gpg.program pager.* sendemail.* credential.helper ssh.variant":
            "script",
          "alias.*": "git-alias",
        },
      },
      "--exec-path [PATH]": {},
      ...plain(
        "--git-dir PATH, --work-tree PATH, --namespace NAME, --super-prefix PATH, --config-env NAME, -p --paginate, -P --no-pager, --bare, --no-replace-objects, --no-optional-locks, --literal-pathspecs, --glob-pathspecs, --noglob-pathspecs, --icase-pathspecs, --attr-source REF, --html-path, --man-path, --info-path, -v --version, -h --help, --list-cmds GROUP",
      ),
    },
    subcommands: {
      push: {
        operands: ["remote?", "refspec..."],
        options: {
          ...plain(
            "-f --force, --force-with-lease [REF], --no-force-with-lease, --force-if-includes, -d --delete, -u --set-upstream, --all --branches, --mirror, --tags, --follow-tags, --no-follow-tags, --prune, --atomic, -n --dry-run, --porcelain, --signed [MODE], -o --push-option OPTION, --receive-pack --exec PROGRAM, --repo REPO, --thin, --no-thin, --progress, --no-verify, --verify, --recurse-submodules MODE, -4 --ipv4, -6 --ipv6",
          ),
          ...quiet,
        },
      },
      fetch: {
        operands: ["remote?", "refspec..."],
        receives: true,
        options: {
          ...quiet,
          ...plain(
            "--all, -a --append, --depth N, --deepen N, --shallow-since DATE, --unshallow, --update-shallow, --dry-run, -f --force, -k --keep, --multiple, -p --prune, -P --prune-tags, -n --no-tags, -t --tags, --refmap SPEC, --recurse-submodules [MODE], -j --jobs N, --upload-pack PATH, --progress, -o --server-option OPTION, --set-upstream, -u --update-head-ok, --filter SPEC, -4, -6, --no-auto-maintenance",
          ),
        },
      },
      pull: {
        operands: ["remote?", "refspec..."],
        receives: true,
        options: {
          ...quiet,
          ...mergeOptions,
          ...plain(
            "-r --rebase [MODE], --no-rebase, -a --all, --depth N, -f --force, -p --prune, --tags, --no-tags, -j --jobs N, --recurse-submodules [MODE], --unshallow, --upload-pack PATH",
          ),
        },
      },
      clone: {
        operands: ["clone", "write?"],
        receives: true,
        unpacks: true,
        options: {
          "-c --config CONFIG": {},
          "--upload-pack -u PROGRAM": { value: "command" },
          ...quiet,
          ...plain(
            "-l --local, --no-hardlinks, -s --shared, --reference PATH, --dissociate, -n --no-checkout, --bare, --mirror, --sparse, --filter SPEC, -o --origin NAME, -b --branch NAME, --template DIR, --depth N, --shallow-since DATE, --shallow-exclude REV, --single-branch, --no-single-branch, --no-tags, --recurse-submodules --recursive [PATHS], --shallow-submodules, --remote-submodules, --separate-git-dir DIR, -j --jobs N, --progress, --also-filter-submodules, -4, -6",
          ),
        },
      },
      "send-pack": {
        operands: ["remote", "refspec..."],
        options: {
          ...quiet,
          ...plain(
            "-f --force, --mirror, --all, --atomic, --thin, -n --dry-run, --receive-pack --exec PROGRAM, --stdin, --remote NAME, --signed [MODE]",
          ),
        },
      },
      "ls-remote": {
        operands: ["remote?", "text..."],
        receives: true,
        options: {
          "--upload-pack --exec PROGRAM": { value: "command" },
          ...plain("-h --heads --branches, -t --tags, --refs, -q --quiet, --exit-code, --get-url, --sort KEY, --symref"),
        },
      },
      remote: {
        verbWords: 0,
        options: plain("-v --verbose"),
        operands: ["text..."],
        subcommands: {
          "add, set-url, rename, remove, rm, set-head, set-branches, show, prune, get-url, update": {
            operands: ["remote?", "text..."],
            options: plain(
              "-t BRANCH, -m MASTER, -f, --tags, --no-tags, --mirror [MODE], --push, --add, --delete, -n, -p --prune, -a --auto, -d",
            ),
          },
        },
      },
      reset: {
        operands: ["ref?", "pathspec..."],
        options: {
          ...quiet,
          ...plain(
            "--hard, --soft, --mixed, --merge, --keep, -p --patch, -N --intent-to-add, --no-refresh, --refresh, --recurse-submodules, --pathspec-from-file FILE, --pathspec-file-nul",
          ),
        },
      },
      checkout: {
        operands: ["pathspec..."],
        options: {
          ...quiet,
          ...plain(
            "-f --force, -b NAME, -B NAME, --orphan NAME, -t, --track [MODE], --no-track, --guess, --no-guess, -l, -d --detach, --ours -2, --theirs -3, -m --merge, --conflict STYLE, -p --patch, -U --unified N, --overwrite-ignore, --no-overwrite-ignore, --ignore-other-worktrees, --recurse-submodules [MODE], --no-recurse-submodules, --overlay, --no-overlay, --progress, --ignore-skip-worktree-bits, --pathspec-from-file FILE, --pathspec-file-nul",
          ),
        },
      },
      switch: {
        operands: ["ref?", "text..."],
        options: {
          ...quiet,
          ...plain(
            "-c --create NAME, -C --force-create NAME, -d --detach, --guess, --no-guess, -f --force, --discard-changes, -m --merge, --conflict STYLE, -t, --track [MODE], --no-track, --orphan NAME, --ignore-other-worktrees, --recurse-submodules, --progress",
          ),
        },
      },
      restore: {
        operands: ["pathspec..."],
        options: {
          ...quiet,
          ...plain(
            "-s --source TREE, -p --patch, -W --worktree, -S --staged, --ours, --theirs, -m --merge, --conflict STYLE, --ignore-unmerged, --ignore-skip-worktree-bits, --recurse-submodules, --overlay, --no-overlay, --pathspec-from-file FILE, --pathspec-file-nul, --progress, --no-staged, --no-worktree",
          ),
        },
      },
      clean: {
        operands: ["pathspec..."],
        options: { ...quiet, ...plain("-d, -f --force, -i --interactive, -n --dry-run, -e --exclude PATTERN, -x, -X") },
      },
      rm: {
        operands: ["delete..."],
        options: {
          "-r": { recursive: true },
          "--cached": { turns: { delete: "pathspec" } },
          ...dryRun,
          ...plain("-f --force, -q --quiet, --ignore-unmatch, --sparse, --pathspec-from-file FILE, --pathspec-file-nul"),
        },
      },
      mv: { operands: ["move...", "into"], options: { ...dryRun, ...plain("-f --force, -k, -v --verbose, --sparse") } },
      add: {
        operands: ["pathspec..."],
        options: {
          ...quiet,
          ...plain(
            "-n --dry-run, -f --force, -i --interactive, -p --patch, -e --edit, -u --update, -A --all, --no-all, -N --intent-to-add, --refresh, --ignore-errors, --ignore-missing, --chmod MODE, --renormalize, --sparse, --pathspec-from-file FILE, --pathspec-file-nul",
          ),
        },
      },
      commit: {
        operands: ["pathspec..."],
        options: {
          ...quiet,
          ...messages,
          ...plain(
            "-a --all, -p --patch, -C --reuse-message REF, -c --reedit-message REF, --fixup REF, --squash REF, --reset-author, --short, --branch, --porcelain, --long, -z --null, --author AUTHOR, --date DATE, -n --no-verify, --allow-empty, --allow-empty-message, --amend, --no-post-rewrite, -i --include, -o --only, -u --untracked-files [MODE], --dry-run, --status, --no-status, --pathspec-from-file FILE, --pathspec-file-nul",
          ),
        },
      },
      branch: {
        operands: ["ref..."],
        prints: "name",
        options: {
          ...quiet,
          ...plain(
            "-d --delete, -D, -f --force, -m --move, -M, -c --copy, -C, -r --remotes, -a --all, -l --list, --show-current, --abbrev [N], --no-abbrev, -t, --track [MODE], --no-track, -u --set-upstream-to REF, --unset-upstream, --edit-description, --contains [REF], --no-contains [REF], --merged [REF], --no-merged [REF], --column [OPTIONS], --sort KEY, --points-at REF, --format FORMAT, --color [WHEN], --create-reflog, -i --ignore-case, --recurse-submodules",
          ),
        },
      },
      tag: {
        operands: ["ref..."],
        prints: "name",
        options: {
          ...messages,
          ...plain(
            "-a --annotate, -s --sign, -u --local-user KEY, -f --force, -d --delete, -v --verify, -n [N], -l --list, --sort KEY, --contains [REF], --no-contains [REF], --merged [REF], --no-merged [REF], --points-at REF, --format FORMAT, --column [OPTIONS], --create-reflog, -i --ignore-case",
          ),
        },
      },
      stash: {
        verbWords: 0,
        options: plain("-q --quiet"),
        operands: ["text..."],
        subcommands: {
          "push, save": {
            operands: ["pathspec..."],
            options: plain(
              "-p --patch, -S --staged, -k --keep-index, --no-keep-index, -u --include-untracked, -a --all, -q --quiet, -m --message TEXT, --pathspec-from-file FILE",
            ),
          },
          "drop, clear": { operands: ["ref..."], options: plain("-q --quiet") },
          "pop, apply, branch, show, list, create, store": {
            operands: ["text..."],
            options: plain("--index, -q --quiet, -p, --stat, -u --include-untracked, -m --message TEXT"),
          },
        },
      },
      reflog: {
        verbWords: 0,
        operands: ["text..."],
        subcommands: {
          "expire, delete": {
            operands: ["ref..."],
            options: plain(
              "--expire TIME, --expire-unreachable TIME, --all, --updateref, --rewrite, --stale-fix, -n --dry-run, --verbose, --single-worktree",
            ),
          },
          "show, exists, list": { operands: ["text..."], options: logOptions },
        },
      },
      gc: {
        options: {
          ...quiet,
          ...plain(
            "--aggressive, --auto, --prune [DATE], --no-prune, --force, --keep-largest-pack, --cruft, --no-cruft, --detach, --no-detach",
          ),
        },
      },
      "read-tree": {
        operands: ["ref..."],
        options: plain(
          "--reset, -m, -u, -i, -n --dry-run, -v, --prefix DIR, --trivial, --aggressive, --index-output FILE, --empty, -q --quiet",
        ),
      },
      "checkout-index": {
        operands: ["pathspec..."],
        options: plain("-f --force, -a --all, -u --index, -n --no-create, -q --quiet, --prefix DIR, --stage N, --temp, --stdin, -z"),
      },
      prune: { operands: ["ref..."], options: plain("-n --dry-run, -v --verbose, --progress, --expire TIME") },
      rebase: {
        operands: ["ref..."],
        options: {
          "-x --exec COMMAND": { value: "script" },
          ...quiet,
          ...mergeOptions,
          ...plain(
            "-i --interactive, --onto REF, --keep-base, --edit-todo, --show-current-patch, --apply, --empty MODE, --keep-empty, --no-keep-empty, --reapply-cherry-picks, -m --merge, -f --force-rebase --no-ff, --fork-point, --no-fork-point, --ignore-whitespace, --whitespace OPTION, --committer-date-is-author-date, --reset-author-date, -r --rebase-merges [MODE], --autosquash, --no-autosquash, --reschedule-failed-exec, --update-refs, --no-update-refs, --root, -C N",
          ),
        },
      },
      merge: { operands: ["ref..."], options: { ...quiet, ...mergeOptions } },
      "cherry-pick, revert": {
        operands: ["ref..."],
        options: {
          ...quiet,
          ...mergeOptions,
          ...plain("-x, -r, -n --no-commit, --mainline N, --allow-empty, --keep-redundant-commits, --empty MODE, --reference"),
        },
      },
      am: {
        operands: ["read..."],
        options: {
          ...quiet,
          ...plain(
            "--abort, --continue -r --resolved, --skip, --quit, --show-current-patch, -s --signoff, -k --keep, -3 --3way, --reject, -i --interactive, -p N, -C N, --directory DIR, --exclude PATH, --include PATH, --whitespace OPTION, --keep-cr",
          ),
        },
      },
      apply: {
        operands: ["read..."],
        stdin: "read",
        options: {
          "--check": { isDryRun: true },
          ...quiet,
          ...plain(
            "--stat, --numstat, --summary, --index, --cached, -N --intent-to-add, -3 --3way, --build-fake-ancestor FILE, -R --reverse, --reject, -z, -p N, -C N, --unidiff-zero, --apply, --no-add, --allow-binary-replacement, --binary, --exclude PATTERN, --include PATTERN, --ignore-space-change, --ignore-whitespace, --whitespace ACTION, --inaccurate-eof, --recount, --directory DIR, --unsafe-paths, --allow-empty",
          ),
        },
      },
      "filter-branch": {
        operands: ["ref..."],
        options: {
          "--env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter --setup COMMAND": {
            value: "script",
          },
          ...plain("--subdirectory-filter DIR, --prune-empty, --original NAMESPACE, -d DIR, -f --force, --state-branch NAME, --all"),
        },
      },
      "filter-repo": {
        operands: ["text..."],
        options: plain(
          "--path PATH, --path-glob GLOB, --path-regex REGEX, --invert-paths, --path-rename NAMES, --subdirectory-filter DIR, --to-subdirectory-filter DIR, --replace-text FILE, --strip-blobs-bigger-than SIZE, --mailmap FILE, --force, --analyze, --dry-run, --refs REFS, --partial",
        ),
      },
      "update-ref": { operands: ["ref", "text..."], options: plain("-d, -m REASON, --no-deref, --stdin, -z, --create-reflog") },
      replace: { operands: ["ref..."], options: plain("-f --force, -d --delete, -e --edit, --graft, -l --list") },
      worktree: {
        subcommands: {
          add: {
            operands: ["write", "ref?"],
            options: plain(
              "-f --force, -d --detach, --checkout, --no-checkout, --lock, --reason TEXT, -b NAME, -B NAME, --orphan, --track, --guess-remote, -q --quiet, --relative-paths",
            ),
          },
          remove: { operands: ["delete"], recursive: true, options: plain("-f --force") },
          "list, lock, unlock, move, prune, repair": {
            operands: ["text..."],
            options: plain("-v --verbose, --porcelain, -z, -n --dry-run, --expire TIME, --reason TEXT, -f --force"),
          },
        },
      },
      submodule: {
        options: plain("--quiet -q, --cached"),
        subcommands: {
          foreach: { operands: ["script-words"], options: plain("--recursive") },
          deinit: { operands: ["pathspec..."], options: plain("-f --force, --all") },
          "add, update, init, status, summary, sync, set-branch, set-url, absorbgitdirs": {
            operands: ["text..."],
            options: plain(
              "--init, --recursive, --remote, -f --force, --depth N, -b --branch NAME, --name NAME, --rebase, --merge, --checkout, -j --jobs N, -N --no-fetch, --reference REPO, --recommend-shallow, --single-branch, --filter SPEC",
            ),
          },
        },
      },
      bisect: {
        subcommands: {
          run: { operands: ["command"] },
          "start, good, bad, new, old, skip, reset, log, visualize, view, replay, terms, help, next": {
            operands: ["text..."],
            options: plain("--term-new NAME, --term-old NAME, --no-checkout, --first-parent"),
          },
        },
      },
      config: {
        verbWords: 0,
        // A name alone is read, a name with a value is set.
        operands: ["target?", "text"],
        options: {
          "--global": { writes: ["~/.gitconfig"] },
          "--system": { writes: ["/etc/gitconfig"] },
          "--local": {},
          "--worktree": {},
          "-f --file FILE": { value: "edit" },
          "-l --list": { isDryRun: true },
          "--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool": { isDryRun: true, operands: ["text..."] },
          "--unset --unset-all --rename-section --remove-section": { operands: ["text..."] },
          ...plain(
            "--blob REF, --replace-all, --add, -e --edit, --bool, --int, --bool-or-int, --path, --expiry-date, --type TYPE, --no-type, -z --null, --name-only, --show-origin, --show-scope, --includes, --no-includes, --default VALUE, --fixed-value, --append, --comment TEXT, --value PATTERN, --all, --regexp",
          ),
        },
        subcommands: {
          "list, get": { operands: ["text..."], isDryRun: true },
          set: { operands: ["target", "text..."] },
          "unset, rename-section, remove-section, edit": { operands: ["text..."] },
        },
      },
      init: {
        operands: ["write?"],
        options: {
          ...quiet,
          ...plain(
            "--bare, --template DIR, --separate-git-dir DIR, --object-format FORMAT, -b --initial-branch NAME, --shared [MODE], --ref-format FORMAT",
          ),
        },
      },
      "log, diff, show, whatchanged, shortlog, diff-tree, diff-index, diff-files, range-diff, format-patch, cherry": {
        operands: ["git-object..."],
        options: logOptions,
      },
      "blame, annotate": { operands: ["git-object?", "read"], options: logOptions },
      grep: {
        operands: ["text..."],
        options: plain(
          "-e PATTERN, -f FILE, -A --after-context N, -B --before-context N, -C --context N, -m --max-count N, --threads N, -n, -i, -l, -r, -w, -v, -c, -E, -F, -P, -h, -H, -O [PAGER], --untracked, --no-index, --cached, --and, --or, --not",
        ),
      },
      "cat-file": {
        operands: ["git-object..."],
        options: plain("-t, -s, -e, -p, --batch [FORMAT], --batch-check [FORMAT], --textconv, --filters, --path PATH"),
      },
      archive: {
        operands: ["text..."],
        options: {
          "-o --output FILE": { value: "write" },
          "--remote REPO": {},
          "--exec PROGRAM": { value: "command" },
          ...plain("--format FORMAT, -l --list, --prefix PREFIX, --add-file FILE, -v --verbose, --worktree-attributes"),
        },
      },
      bundle: { verbWords: 1, operands: ["text..."] },
      "send-email": {
        operands: ["send-file..."],
        sends: "unknown",
        options: plain(
          "--to ADDRESS, --cc ADDRESS, --bcc ADDRESS, --from ADDRESS, --subject TEXT, --smtp-server HOST, --dry-run, --annotate, --compose, --suppress-cc WHAT, --confirm WHAT, --smtp-user USER, --smtp-pass TEXT",
        ),
      },
      difftool: { operands: ["text..."], options: { "-x --extcmd COMMAND": { value: "script" }, ...logOptions } },
      mergetool: { operands: ["text..."], options: plain("-t --tool NAME, -y --no-prompt, --prompt, -g --gui") },
      "daemon, instaweb, http-backend": { operands: ["text..."] },
      "credential, credential-store, credential-cache, credential-osxkeychain": { verbWords: 1, operands: ["text..."], prints: "secret" },
      "sparse-checkout, maintenance, notes, lfs, hook, bugreport, multi-pack-index, commit-graph, pack-refs, repack, rerere, annex, flow, subtree, svn, p4, crypt, secret, absorb, town":
        { verbWords: 1, operands: ["text..."] },
      "status, ls-files, ls-tree, rev-parse, describe, name-rev, merge-base, for-each-ref, show-ref, show-branch, var, version, help, count-objects, fsck, verify-commit, verify-tag, check-ignore, check-attr, check-mailmap, check-ref-format, hash-object, write-tree, commit-tree, mktree, update-index, stripspace, column, interpret-trailers, diff-blob, merge-tree, merge-file, merge-base, fmt-merge-msg, get-tar-commit-id, patch-id, request-pull, shell, rev-list, unpack-objects, index-pack, pack-objects, verify-pack, prune-packed":
        {
          operands: ["text..."],
          options: plain(
            "-z, -s --short, -b --branch, -u --untracked-files [MODE], --porcelain [VERSION], --ignored [MODE], -o --others, -c --cached, -m --modified, -d --deleted, --exclude-standard, -x --exclude PATTERN, --format FORMAT, --sort KEY, --count N, --abbrev [N], --tags, --always, --dirty [MARK], --match PATTERN, --show-toplevel, --verify, -r, -t, --name-only, -w, --stdin",
          ),
        },
      "ls-files": {
        operands: ["text..."],
        prints: "names",
        options: plain(
          "-z, -o --others, -c --cached, -m --modified, -d --deleted, --exclude-standard, -x --exclude PATTERN, -i --ignored, --full-name",
        ),
      },
      "rev-parse, rev-list, describe, name-rev, merge-base, hash-object, symbolic-ref": {
        operands: ["ref..."],
        prints: "name",
        options: {
          "--show-toplevel --git-dir --git-common-dir --absolute-git-dir --show-superproject-working-tree --git-path [PATH]": {
            prints: "unknown",
          },
          ...plain(
            "--abbrev-ref [MODE], --short [N], --verify, -q --quiet, --tags, --all, --always, --dirty [MARK], --abbrev [N], --match PATTERN, -n --max-count N, --count, -d --delete, -m REASON",
          ),
        },
      },
    },
    examples: {
      "git -C sub push -f origin +main:main": {
        dir: "sub",
        verb: "push",
        options: ["-C", "--force"],
        git: { verb: "push", remote: "origin", refspecs: ["+main:main"] },
      },
      "git checkout -- .": { git: { verb: "checkout", paths: ["."] } },
      'git commit -m "(rm -rf /) note"': { verb: "commit", deletes: [], options: ["--message"] },
      "git rm -r --cached old": { deletes: [], git: { verb: "rm", paths: ["old"] } },
      "git rm -rf old": { deletes: ["old"], recursive: true },
      "git mv a b": { deletes: ["a"], writes: ["b", "b/a"] },
      "git worktree remove --force ../w": { verb: "worktree remove", deletes: ["~/w"], recursive: true },
      "git stash drop stash@{2}": { verb: "stash drop" },
      "git rebase -x 'rm -r x' main": { program: "rm", deletes: ["x"], via: ["git"] },
      "git submodule foreach 'rm -r x'": { program: "rm", deletes: ["x"] },
      "git filter-branch --tree-filter 'rm -f k' HEAD": { program: "rm", deletes: ["k"] },
      "git config --global user.name Ann": { verb: "config", writes: ["~/.gitconfig"] },
      "git clone git@h.example:a/b.git; sh b/c": { program: "sh", runs: ["network"] },
      "git clone ../b c; sh c/d": { program: "sh", runs: ["file"] },
      "git config --global --get user.name": { writes: [], target: [] },
      "git config core.hooksPath": { target: [] },
      "git config core.hooksPath .husky": { target: ["core.hooksPath"] },
      "git config set --global core.pager less": { target: ["core.pager"] },
      "git config --unset core.hooksPath": { target: [] },
      "git clone https://example.com/r.git d": { hosts: ["example.com"], writes: ["d"], receives: true },
      "git bisect run rm x": { program: "rm", deletes: ["x"] },
      "git -c core.sshCommand='rm -r x' fetch": { program: "rm", deletes: ["x"] },
      "git blame -L 1,5 a.txt": { reads: ["a.txt"] },
      "git diff --output=p.txt": { writes: ["p.txt"] },
    },
  },
  {
    names: ["git-filter-repo"],
    also: ["bfg"],
    operands: ["text..."],
    options: plain(
      "--path PATH, --invert-paths, --force, --delete-files GLOB, --delete-folders GLOB, --strip-blobs-bigger-than SIZE, --replace-text FILE, --no-blob-protection, --analyze, --dry-run",
    ),
    destroys: "repository",
    examples: { "git-filter-repo --path secret --invert-paths": { destroys: ["repository"] } },
  },
  {
    names: ["gh"],
    options: { "-R --repo REPO": {}, ...plain("--hostname HOST, --help -h, --version") },
    subcommands: {
      repo: {
        subcommands: {
          delete: { operands: ["target..."], destroys: "repository", options: plain("--yes --confirm") },
          archive: { operands: ["target..."], destroys: "repository", options: plain("-y --yes") },
          "*": { operands: ["target..."] },
        },
      },
      api: {
        operands: ["target..."],
        options: {
          "-X --method METHOD": { values: { DELETE: { destroys: "repository" }, delete: { destroys: "repository" } } },
          "-F --field FIELD": { value: "send-at" },
          "-f --raw-field FIELD": { value: "send" },
          "--input FILE": { value: "send-file" },
          "-H --header HEADER": {},
          ...plain(
            "-i --include, -q --jq EXPR, -t --template TEXT, --paginate, --slurp, --silent, --cache TIME, -p --preview NAMES, --verbose",
          ),
        },
      },
      auth: { subcommands: { token: { prints: "secret", operands: ["text..."] }, "*": { operands: ["text..."] } } },
      extension: { subcommands: { exec: { operands: ["text..."] }, "*": { operands: ["target..."] } } },
      alias: { verbWords: 1, operands: ["text..."] },
      gist: {
        subcommands: {
          create: { operands: ["send-file..."], options: plain("-d --desc TEXT, -f --filename NAME, -p --public, -w --web") },
          delete: { operands: ["target..."], destroys: "repository" },
          "*": { operands: ["target..."] },
        },
      },
      release: {
        subcommands: {
          "create, upload": {
            operands: ["target", "send-file..."],
            options: plain(
              "-t --title TEXT, -n --notes TEXT, -F --notes-file FILE, -d --draft, -p --prerelease, --target BRANCH, --generate-notes, --clobber, --latest, --verify-tag, --discussion-category NAME",
            ),
          },
          "delete, delete-asset": { operands: ["target..."], destroys: "repository" },
          "*": { operands: ["target..."] },
        },
      },
      "secret, variable, ssh-key, gpg-key, label, cache, run, workflow, environment, ruleset, issue, codespace, project": {
        subcommands: { "delete, remove": { operands: ["target..."], destroys: "repository" }, "*": { operands: ["target..."] } },
      },
      "*": { verbWords: 1, operands: ["target..."] },
    },
    examples: {
      "gh repo delete ann/x --yes": { verb: "repo delete", destroys: ["repository"], target: ["ann/x"] },
      "gh repo view ann/x": { destroys: [] },
      "gh pr create --title x": { verb: "pr create", destroys: [] },
      "gh api -X DELETE repos/ann/x": { destroys: ["repository"] },
      "gh api repos/ann/x": { destroys: [] },
      "gh release upload v1 a.zip": { sends: ["file"] },
    },
  },
  {
    names: ["glab"],
    also: ["hub", "tea"],
    subcommands: {
      repo: { subcommands: { delete: { operands: ["target..."], destroys: "repository" }, "*": { operands: ["target..."] } } },
      "release, variable, label, snippet, schedule, ssh-key, token, runner, issue, mr, ci": {
        subcommands: { "delete, remove, revoke": { operands: ["target..."], destroys: "repository" }, "*": { operands: ["target..."] } },
      },
      api: {
        operands: ["target..."],
        options: {
          "-X --method METHOD": { values: { DELETE: { destroys: "repository" } } },
          ...plain("-f --raw-field FIELD, -F --field FIELD, -H --header HEADER, --paginate, -i --include, --hostname HOST"),
        },
      },
      "*": { verbWords: 1, operands: ["target..."] },
    },
    examples: { "glab repo delete g/x -y": { destroys: ["repository"] }, "glab mr list": { destroys: [] } },
  },
  {
    names: ["hg"],
    also: ["svn", "jj", "fossil", "p4", "cvs", "darcs", "sl"],
    verbWords: 1,
    operands: ["target..."],
    options: {
      "-R --repository --cwd DIR": {},
      ...plain("-m --message TEXT, -r --revision REV, -q --quiet, -v --verbose, --config VALUE, -u --user NAME"),
    },
    examples: { "hg update --clean": { verb: "update" }, "jj abandon x": { verb: "abandon", target: ["x"] } },
  },
];
