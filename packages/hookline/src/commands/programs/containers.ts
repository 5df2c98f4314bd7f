import type { CommandEntry, OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const targets: CommandEntry = { operands: ["target..."] };
const runOptions: OptionTable = {
  "-v --volume SPEC": { value: "mounted" },
  "--env-file FILE": { value: "load" },
  ...plain(
    "-d --detach, -i --interactive, -t --tty, -e --env VALUE, --entrypoint COMMAND, --mount SPEC, --name NAME, --network --net NAME, --network-alias NAME, -p --publish PORTS, -P --publish-all, --expose PORT, --rm, --restart POLICY, -u --user USER, -w --workdir DIR, --privileged, --cap-add CAP, --cap-drop CAP, --security-opt OPT, --device DEVICE, --device-cgroup-rule RULE, --dns SERVER, --dns-search DOMAIN, --add-host HOST, --hostname -h NAME, --init, --ipc MODE, --pid MODE, --uts MODE, --userns MODE, --cgroupns MODE, --cgroup-parent NAME, -l --label LABEL, --label-file FILE, --link NAME, --log-driver NAME, --log-opt OPT, -m --memory SIZE, --memory-swap SIZE, --cpus N, -c --cpu-shares N, --cpuset-cpus LIST, --gpus SPEC, --platform NAME, --pull POLICY, -q --quiet, --read-only, --runtime NAME, --shm-size SIZE, --sig-proxy, --stop-signal SIGNAL, --stop-timeout N, --storage-opt OPT, --sysctl VALUE, --tmpfs SPEC, --ulimit SPEC, --volumes-from NAME, --volume-driver NAME, --cidfile FILE, -a --attach STREAM, --group-add GROUP, --health-cmd COMMAND, --no-healthcheck, --ip ADDRESS, --mac-address ADDRESS, --oom-kill-disable, --pids-limit N, --blkio-weight N, --detach-keys KEYS, --pod NAME, --replace, --secret SPEC, --systemd MODE, --tz ZONE, --annotation VALUE",
  ),
};
const execOptions: OptionTable = plain(
  "-d --detach, --detach-keys KEYS, -e --env VALUE, --env-file FILE, -i --interactive, --privileged, -t --tty, -u --user USER, -w --workdir DIR, -l --latest, -T --no-tty, --index N",
);
const removes: CommandEntry = {
  operands: ["target..."],
  options: {
    "-v --volumes": { destroys: "container" },
    "-a --all": { destroys: "container" },
    ...plain("-f --force, -l --link, -i --ignore, -t --time N, --no-prune"),
  },
};
const prune: OptionTable = plain("-a --all, -f --force, --filter FILTER, --volumes, --build, --keep-storage SIZE, --reserved-space SIZE");
const ask: CommandEntry = {
  operands: ["target..."],
  options: {
    "-q --quiet": { prints: "name" },
    ...plain(
      "-a --all, -f --filter --format FORMAT, -n --last --tail --lines N, --no-trunc, -s --size, --since TIME, --until TIME, --follow, -t --timestamps, --details, --time N, -l --latest",
    ),
  },
};

const container: { readonly [names: string]: CommandEntry } = {
  "run, create": { operands: ["target", "command"], options: runOptions },
  exec: { operands: ["target", "command"], options: execOptions },
  cp: { operands: ["text", "container-path"], options: plain("-a --archive, -L --follow-link, -q --quiet, --overwrite, --pause") },
  "ps, logs, top, stats, port, inspect, diff, events, wait, attach, history, search, version, info": ask,
  rm: removes,
  "start, stop, restart, kill, pause, unpause, rename, update, commit": {
    operands: ["target..."],
    options: plain(
      "-s --signal SIGNAL, -t --time --timeout N, -a --attach, -i --interactive, --all, -m --message TEXT, -c --change TEXT, -p --pause, --restart POLICY, --memory SIZE, --cpus N",
    ),
  },
};

const compose: CommandEntry = {
  options: {
    "-f --file FILE": { value: "read" },
    "--env-file FILE": { value: "load" },
    "--project-directory DIR": {},
    "--dry-run": { isDryRun: true },
    ...plain(
      "-p --project-name NAME, --profile NAME, --parallel N, --progress TYPE, --ansi MODE, --compatibility, --verbose, -c --context NAME, -H --host HOST",
    ),
  },
  subcommands: {
    down: {
      operands: ["target..."],
      options: {
        "-v --volumes": { destroys: "container" },
        "--rmi TYPE": { destroys: "container" },
        ...plain("--remove-orphans, -t --timeout N"),
      },
    },
    rm: { operands: ["target..."], options: { "-v --volumes": { destroys: "container" }, ...plain("-f --force, -s --stop") } },
    run: {
      operands: ["target", "command"],
      options: { ...runOptions, ...plain("--no-deps, --service-ports, -T --no-TTY, --build, --use-aliases, --remove-orphans") },
    },
    exec: { operands: ["target", "command"], options: execOptions },
    "up, build, pull, push, start, stop, restart, kill, pause, unpause, logs, ps, top, images, config, create, events, port, version, ls, convert, cp, watch, wait, scale, attach, stats, volumes, export, commit, publish, viz, alpha":
      {
        operands: ["target..."],
        options: plain(
          "-d --detach, --build, --no-build, --force-recreate, --no-recreate, --remove-orphans, -V --renew-anon-volumes, --scale SPEC, -t --timeout N, --abort-on-container-exit, --exit-code-from NAME, --no-deps, --pull POLICY, --quiet-pull, --wait, --wait-timeout N, --no-cache, --build-arg ARG, --progress TYPE, -q --quiet, --follow, -n --tail LINES, --since TIME, --until TIME, --timestamps, --no-color, --no-log-prefix, -s --signal SIGNAL, -a --all, --services, --format FORMAT, --filter FILTER, --status STATUS, --no-start, --attach NAME, --no-attach NAME, --watch, -w, -y --yes",
        ),
      },
  },
};

/** Programs for containers. What runs in a container is reported with the container's program in `via`. */
export const containerPrograms: readonly ProgramEntry[] = [
  {
    names: ["docker", "podman", "nerdctl"],
    options: {
      "--config DIR": {},
      ...plain(
        "-c --context NAME, -D --debug, -H --host HOST, -l --log-level LEVEL, --tls, --tlscacert FILE, --tlscert FILE, --tlskey FILE, --tlsverify, -v --version, --help, --connection NAME, --remote -r, --root DIR, --runroot DIR, --storage-driver NAME, --url URL, -n --namespace NAME, -a --address ADDRESS",
      ),
    },
    subcommands: {
      ...container,
      container: { subcommands: { ...container, prune: { destroys: "container", options: prune }, "ls list": ask, "*": targets } },
      rmi: { operands: ["target..."], options: { "-f --force": { destroys: "container" }, ...plain("--no-prune, -a --all, -i --ignore") } },
      image: {
        subcommands: {
          "rm remove": { operands: ["target..."], options: { "-f --force": { destroys: "container" }, ...plain("--no-prune") } },
          prune: { options: { "-a --all": { destroys: "container" }, ...plain("-f --force, --filter FILTER") } },
          "*": targets,
        },
      },
      volume: {
        subcommands: {
          "rm remove": { operands: ["target..."], destroys: "container", options: plain("-f --force") },
          prune: { destroys: "container", options: prune },
          "*": targets,
        },
      },
      network: { subcommands: { "rm remove": targets, prune: { options: prune }, "*": targets } },
      system: {
        subcommands: {
          prune: { destroys: "container", options: prune },
          reset: { destroys: "container", options: plain("-f --force") },
          "*": targets,
        },
      },
      builder: { subcommands: { prune: { options: prune }, "*": targets } },
      swarm: { subcommands: { leave: { options: { "-f --force": { destroys: "infrastructure" } } }, "*": targets } },
      "stack, service, config, node, context, plugin": {
        subcommands: { "rm remove": { operands: ["target..."], destroys: "infrastructure", options: plain("-f --force") }, "*": targets },
      },
      secret: { subcommands: { "rm remove": { operands: ["target..."], destroys: "secret" }, "*": targets } },
      "pod, machine, kube": {
        subcommands: {
          "rm, down": { operands: ["target..."], destroys: "container", options: plain("-f --force, -a --all") },
          "*": targets,
        },
      },
      compose,
      build: {
        operands: ["text..."],
        options: {
          "-f --file FILE": { value: "read" },
          "--iidfile FILE": { value: "write" },
          "-o --output SPEC": {},
          "--secret SPEC": {},
          ...plain(
            "-t --tag NAME, --build-arg ARG, --build-context SPEC, --cache-from NAME, --cache-to NAME, --no-cache, --pull, --platform NAME, --progress TYPE, --push, --load, -q --quiet, --target STAGE, --network NAME, --ssh SPEC, --label LABEL, --rm, --squash, --add-host HOST, --memory SIZE, --builder NAME, --provenance [MODE], --sbom [MODE], --metadata-file FILE, --ulimit SPEC, --shm-size SIZE, --isolation MODE, --layers",
          ),
        },
      },
      buildx: { subcommands: { "rm, prune": { operands: ["target..."] }, "*": targets } },
      "save, export": { operands: ["target..."], options: { "-o --output FILE": { value: "write" }, "--format FORMAT": {} } },
      "load, import": {
        operands: ["target..."],
        stdin: "read",
        options: { "-i --input FILE": { value: "read" }, ...plain("-q --quiet, -m --message TEXT, -c --change TEXT") },
      },
      pull: {
        operands: ["target..."],
        receives: true,
        options: plain("-a --all-tags, -q --quiet, --platform NAME, --disable-content-trust"),
      },
      push: { operands: ["target..."], options: plain("-a --all-tags, -q --quiet, --disable-content-trust") },
      "login, logout": {
        operands: ["target..."],
        stdin: "read",
        options: plain("-u --username NAME, -p --password TEXT, --password-stdin"),
      },
      "images, tag": ask,
      "manifest, trust, checkpoint, scout, init, debug, ai, model, mcp, extension, desktop, sbom, scan": {
        verbWords: 1,
        operands: ["target..."],
      },
    },
    examples: {
      "docker volume rm data": { verb: "volume rm", target: ["data"], destroys: ["container"] },
      "podman system prune -af": { destroys: ["container"], verb: "system prune" },
      "podman rm -fa": { destroys: ["container"] },
      "docker rm -f web": { verb: "rm", destroys: [], target: ["web"] },
      "docker rm -fv web": { verb: "rm", destroys: ["container"] },
      "docker exec -it web rm -r /srv/x": { program: "rm", deletes: ["/srv/x"], via: ["docker"] },
      "docker run --rm -e A=b alpine cat /x": { program: "cat", via: ["docker"] },
      "docker compose -f c.yml down -v": { verb: "compose down", destroys: ["container"], reads: ["c.yml"] },
      "docker compose up -d api": { verb: "compose up", destroys: [] },
      "docker image prune -f": { destroys: [] },
      "docker build -t x -f Dockerfile.dev .": { verb: "build", reads: ["Dockerfile.dev"] },
      "docker save -o x.tar x": { writes: ["x.tar"] },
      "docker run -v ~/.keys:/k alpine ls": { program: "docker", reads: ["~/.keys"], writes: ["~/.keys"] },
    },
  },
  {
    names: ["docker-compose", "podman-compose"],
    ...compose,
    examples: {
      "docker-compose down --volumes -t 5": { verb: "down", destroys: ["container"] },
      "docker-compose down -t 5": { destroys: [] },
      "docker-compose exec db rm x": { program: "rm", via: ["docker-compose"] },
    },
  },
  {
    names: ["buildah"],
    also: ["skopeo", "crane", "regctl", "oras"],
    subcommands: {
      run: { operands: ["target", "command"], options: runOptions },
      rm: { operands: ["target..."], options: { "-a --all": { destroys: "container" } } },
      rmi: { operands: ["target..."], options: { "-a --all": { destroys: "container" }, "-f --force": { destroys: "container" } } },
      delete: { operands: ["target..."], destroys: "container" },
      prune: { destroys: "container" },
      "*": { operands: ["target..."] },
    },
    examples: {
      "buildah run c rm x": { program: "rm", via: ["buildah"] },
      "skopeo delete docker://r/x": { destroys: ["container"] },
      "skopeo copy a b": { destroys: [] },
    },
  },
  {
    names: ["crictl"],
    also: ["ctr"],
    options: plain(
      "-r --runtime-endpoint ADDRESS, -i --image-endpoint ADDRESS, -t --timeout TIME, -c --config FILE, -D --debug, -n --namespace NAME, -a --address ADDRESS",
    ),
    subcommands: {
      exec: { operands: ["target", "command"], options: plain("-i --interactive, -t --tty, -s --sync, --timeout N") },
      "rm, rmp, rmi": {
        operands: ["target..."],
        options: { "-a --all": { destroys: "container" }, "-f --force": {}, "-q --prune": { destroys: "container" } },
      },
      "*": { operands: ["target..."] },
    },
    examples: { "crictl rmi --prune": { destroys: ["container"] }, "crictl ps -a": { destroys: [] } },
  },
  {
    names: ["lxc"],
    also: [
      "incus",
      "multipass",
      "vagrant",
      "limactl",
      "colima",
      "minikube",
      "kind",
      "k3d",
      "virsh",
      "qm",
      "pct",
      "VBoxManage",
      "orb",
      "microk8s",
    ],
    options: plain("-f --force, -p --profile NAME, --all, -v --verbose, -q --quiet"),
    subcommands: {
      "delete, destroy, rm": {
        operands: ["target..."],
        destroys: "container",
        options: plain("-f --force, --purge -p, --all, --name NAME"),
      },
      "purge, undefine, unregistervm": { operands: ["target..."], destroys: "container" },
      cluster: { subcommands: { "delete, rm": { operands: ["target..."], destroys: "container" }, "*": { operands: ["target..."] } } },
      exec: { operands: ["target", "command"], options: plain("--env VALUE, --user N, --cwd DIR, -t, -T, -n --working-directory DIR") },
      ssh: { operands: ["target?"], options: { "-c --command COMMAND": { value: "script" } } },
      "docker-env, podman-env, completion": { operands: ["text..."], prints: "setup" },
      "*": { operands: ["target..."] },
    },
    examples: {
      'eval "$(minikube docker-env)"': { program: "eval", runs: ["file"] },
      "vagrant destroy -f": { destroys: ["container"] },
      "k3d cluster delete dev": { destroys: ["container"] },
      "minikube start": { destroys: [] },
      "lxc exec web rm x": { program: "rm" },
    },
  },
];
