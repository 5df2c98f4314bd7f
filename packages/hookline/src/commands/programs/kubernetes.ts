import type { CommandEntry, OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

const targets: CommandEntry = { operands: ["target..."] };
const dryRun: OptionTable = { "--dry-run [MODE]": { isDryRun: true, values: { none: { isDryRun: false } } } };

/** Programs for clusters. */
export const kubernetesPrograms: readonly ProgramEntry[] = [
  {
    names: ["kubectl", "oc", "k", "kubecolor"],
    options: {
      "--kubeconfig FILE": {},
      ...plain(
        "-n --namespace NAME, --context NAME, --cluster NAME, --user NAME, -s --server URL, --token TOKEN, --as USER, --as-group GROUP, --as-uid UID, --certificate-authority FILE, --client-certificate FILE, --client-key FILE, --insecure-skip-tls-verify, --request-timeout TIME, -v --v LEVEL, --cache-dir DIR, --tls-server-name NAME, --password TEXT, --username NAME, --warnings-as-errors, -o --output FORMAT, -l --selector LABELS, --field-selector FIELDS, -A --all-namespaces, -w --watch, --show-labels, --sort-by KEY, --no-headers, -L --label-columns LIST, -R --recursive, -k --kustomize DIR, --wait, --timeout TIME, --field-manager NAME, --overwrite, --template TEXT, --chunk-size N, --raw PATH, --ignore-not-found, --show-managed-fields, -h --help",
      ),
    },
    subcommands: {
      delete: {
        operands: ["target..."],
        destroys: "infrastructure",
        options: {
          ...dryRun,
          "-f --filename FILE": { value: "read" },
          ...plain("--all, --cascade [MODE], --force, --grace-period N, --now, -i --interactive"),
        },
      },
      drain: {
        operands: ["target..."],
        destroys: "infrastructure",
        options: {
          ...dryRun,
          ...plain(
            "--ignore-daemonsets, --delete-emptydir-data, --delete-local-data, --force, --grace-period N, --disable-eviction, --pod-selector LABELS, --skip-wait-for-delete-timeout N",
          ),
        },
      },
      replace: {
        operands: ["target..."],
        options: {
          ...dryRun,
          "-f --filename FILE": { value: "read" },
          "--force": { destroys: "infrastructure" },
          ...plain("--cascade [MODE], --grace-period N, --save-config, --validate [MODE], --subresource NAME"),
        },
      },
      apply: {
        operands: ["target..."],
        options: {
          ...dryRun,
          "-f --filename FILE": { value: "read" },
          "--prune": { destroys: "infrastructure" },
          ...plain(
            "--all, --cascade [MODE], --force, --force-conflicts, --grace-period N, --server-side, --validate [MODE], --prune-allowlist LIST, --applyset NAME, --save-config, --openapi-patch",
          ),
        },
      },
      exec: {
        operands: ["target", "command"],
        options: {
          "-f --filename FILE": { value: "read" },
          ...plain("-c --container NAME, -i --stdin, -t --tty, -q --quiet, --pod-running-timeout TIME"),
        },
      },
      rsh: { operands: ["target", "command"] },
      run: {
        operands: ["target", "command"],
        options: {
          ...dryRun,
          ...plain(
            "--image NAME, --rm, -i --stdin, -t --tty, --restart POLICY, --command, --env VALUE, -l --labels LABELS, --overrides JSON, --port PORT, --expose, --privileged, --attach, --image-pull-policy POLICY, -q --quiet, --leave-stdin-open, --annotations VALUE",
          ),
        },
      },
      debug: {
        operands: ["target", "command"],
        options: plain(
          "--image NAME, -c --container NAME, --copy-to NAME, -i --stdin, -t --tty, --target NAME, --profile NAME, --share-processes, --replace, --same-node, --env VALUE, -q --quiet, --attach",
        ),
      },
      cp: { operands: ["copy", "copy-to"], options: plain("-c --container NAME, --no-preserve, --retries N") },
      scale: {
        operands: ["target..."],
        options: {
          ...dryRun,
          "--replicas N": { values: { "0": { destroys: "infrastructure" } } },
          "-f --filename FILE": { value: "read" },
          ...plain("--current-replicas N, --resource-version VERSION, --all"),
        },
      },
      "create, patch, edit, set, label, annotate, autoscale, expose, rollout, cordon, uncordon, taint, certificate": {
        operands: ["target..."],
        options: {
          ...dryRun,
          "-f --filename FILE": { value: "read" },
          "--patch-file FILE": { value: "read" },
          "--from-file --from-env-file SPEC": {},
          ...plain(
            "-p --patch JSON, --type TYPE, --from-literal VALUE, --image NAME, --port PORT, --replicas N, --save-config, --edit, --all, --to-revision N, --revision N, --min N, --max N, --cpu-percent N, --name NAME, --target-port PORT, --protocol NAME, --subresource NAME, --list, --local, -c --containers NAMES, -e --env VALUE, --docker-server URL, --docker-username NAME, --docker-password TEXT, --cert FILE, --key FILE, --clusterrole NAME, --role NAME, --serviceaccount NAME, --group NAME, --verb LIST, --resource LIST, --rule RULE, --class NAME, --tcp SPEC, --append-hash",
          ),
        },
      },
      config: {
        verbWords: 0,
        operands: ["target..."],
        subcommands: {
          "delete-context, delete-cluster, delete-user": { operands: ["target..."] },
          view: {
            operands: ["text..."],
            prints: "unknown",
            options: { "--raw": { prints: "secret" }, ...plain("--minify, --flatten, --merge") },
          },
          "*": targets,
        },
      },
      "port-forward, proxy, attach, logs, top, get, describe, explain, wait, auth, diff, api-resources, api-versions, cluster-info, version, completion, events, kustomize, options, plugin, krew, ctx, ns":
        {
          operands: ["target..."],
          options: {
            "-f --filename FILE": {},
            ...plain(
              "-c --container NAME, --tail N, --since TIME, --since-time TIME, --follow, -p --previous, --timestamps, --prefix, --all-containers, --max-log-requests N, --address ADDRESS, --port PORT, --containers, --for CONDITION, --show-kind, --output-watch-events, --show-events, --list",
            ),
          },
        },
      adm: { verbWords: 1, operands: ["target..."] },
    },
    examples: {
      "kubectl delete ns shop": { verb: "delete", target: ["ns", "shop"], destroys: ["infrastructure"] },
      "kubectl -n web delete pod x --dry-run=server": { destroys: [] },
      "kubectl delete pod x --dry-run=none": { destroys: ["infrastructure"] },
      "kubectl get pods -A": { verb: "get", destroys: [] },
      "kubectl exec -it web -- rm -r /srv/x": { program: "rm", deletes: ["/srv/x"], via: ["kubectl"] },
      "kubectl scale deploy/web --replicas=0": { destroys: ["infrastructure"] },
      "kubectl apply -f k8s.yaml": { reads: ["k8s.yaml"], destroys: [] },
    },
  },
  {
    names: ["helm", "helm3"],
    options: {
      "--dry-run [MODE]": { isDryRun: true, values: { none: { isDryRun: false }, false: { isDryRun: false } } },
      ...plain(
        "-n --namespace NAME, --kube-context NAME, --kubeconfig FILE, --debug, --registry-config FILE, --repository-config FILE, --wait, --timeout TIME, --no-hooks, --description TEXT, -o --output FORMAT",
      ),
    },
    subcommands: {
      "uninstall delete del un": {
        operands: ["target..."],
        destroys: "infrastructure",
        options: plain("--keep-history, --cascade MODE, --ignore-not-found"),
      },
      rollback: { operands: ["target..."], options: plain("--force, --cleanup-on-fail, --recreate-pods, --history-max N") },
      "install, upgrade, template": {
        operands: ["target..."],
        options: {
          "-f --values FILE": { value: "read" },
          "--post-renderer PROGRAM": { value: "command" },
          "--set-file SPEC": {},
          ...plain(
            "--set VALUE, --set-string VALUE, --set-json VALUE, -i --install, --atomic, --force, --create-namespace, --version VERSION, --repo URL, --reset-values, --reuse-values, -g --generate-name, --replace, --skip-crds, --username NAME, --password TEXT, --post-renderer-args ARG, --history-max N, --dependency-update, -l --labels LABELS",
          ),
        },
      },
      "*": targets,
    },
    examples: {
      "helm uninstall web -n prod": { verb: "uninstall", destroys: ["infrastructure"], target: ["web"] },
      "helm uninstall web --dry-run": { destroys: [] },
      "helm upgrade --install web ./chart -f v.yaml": { reads: ["v.yaml"], destroys: [] },
    },
  },
  {
    names: ["velero"],
    options: plain("-n --namespace NAME, --kubeconfig FILE, --kubecontext NAME"),
    subcommands: {
      "backup, restore, schedule, backup-location, snapshot-location": {
        subcommands: {
          delete: { operands: ["target..."], destroys: "backup", options: plain("--all, --confirm, -l --selector LABELS") },
          "*": targets,
        },
      },
      delete: { verbWords: 1, operands: ["target..."], destroys: "backup" },
      uninstall: { destroys: "backup", options: plain("--force, --wait") },
      "*": { verbWords: 1, operands: ["target..."] },
    },
    examples: { "velero schedule delete nightly --confirm": { destroys: ["backup"] }, "velero backup get": { destroys: [] } },
  },
  {
    names: ["argocd"],
    also: [
      "flux",
      "istioctl",
      "linkerd",
      "kops",
      "eksctl",
      "kubeadm",
      "k0s",
      "talosctl",
      "rancher",
      "kustomize",
      "skaffold",
      "tilt",
      "devspace",
      "okteto",
      "calicoctl",
      "cilium",
      "kubectx",
      "kubens",
      "stern",
      "k9s",
      "etcdctl",
      "nomad",
      "consul",
    ],
    verbs: {
      "delete, uninstall, destroy, reset, del, remove, rm, terminate-op, stop, purge, leave, force-leave": {
        operands: ["target..."],
        destroys: "infrastructure",
        options: {
          "--dry-run": { destroys: "nothing" },
          ...plain("-y --yes, -f --force, --name NAME, -r --region NAME, --cascade, --wait, --all, --prefix"),
        },
      },
      "get, list, ls, describe, create, apply, sync, diff, status, version, logs, update, add, set, install, upgrade, check, build, run, dev, init, join, plan, validate, members, put":
        { operands: ["target..."] },
    },
    examples: {
      "argocd app delete web --cascade": { verb: "app delete", destroys: ["infrastructure"] },
      "eksctl delete cluster --name x": { destroys: ["infrastructure"] },
      "flux get all": { destroys: [] },
      "kubeadm reset -f": { destroys: ["infrastructure"] },
    },
  },
];
