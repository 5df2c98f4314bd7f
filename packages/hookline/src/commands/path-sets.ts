/** Paths by the name of their set: what `[paths]` of `hookline.toml` adds. */
export interface PathSets {
  readonly [name: string]: readonly string[];
}

/**
 * The named sets of paths. A rule writes `@secrets`; `[paths]` in `hookline.toml` extends a set or adds one.
 *
 * `~/x` is a path in any user's home folder, `/x` an absolute path, and any other pattern is the end of a path, in every folder. `*` stays
 * within a name, `**` at the end covers everything below, `{a,b}` are alternatives, and `!` excludes. Case does not matter.
 */
export const pathSets = {
  /** The operating system: its folders as a whole, and the files that it consists of. */
  system: [
    "/",
    "/{bin,boot,etc,lib,lib32,lib64,libx32,sbin}/**",
    "/usr",
    "/usr/{bin,include,lib,lib32,lib64,libexec,sbin,share}",
    "/usr/{bin,lib,lib32,lib64,libexec,sbin}/**",
    "/{dev,home,media,mnt,opt,proc,root,run,srv,sys,var}",
    "/var/{cache,lib,spool}",
    "/{Applications,Library,System,Users,Volumes,private}",
    "/System/**",
    "/private/etc/**",
    "C:",
    "C:/{Windows,Users,Program Files,Program Files (x86)}",
    "C:/Windows/**",
  ],
  /** Disks and partitions as devices, and the memory of the machine. */
  disks: ["/dev/{sd,hd,vd,xvd,nvme,mmcblk,disk,rdisk,md,dm-,mapper/,loop}*", "/dev/{mem,kmem,port}"],
  /** The home folders themselves. `@home/**` is everything in them. */
  home: ["~", "/home", "/Users", "C:/Users"],
  /** Keys, credentials and files that hold them. */
  secrets: [
    ".ssh",
    ".ssh/**",
    "!.ssh/{config,config.d/**,known_hosts*,authorized_keys*,*.pub,rc,environment}",
    "id_{rsa,dsa,ecdsa,ecdsa_sk,ed25519,ed25519_sk}{,.*,_*}",
    "!id_*.pub",
    ".env",
    ".env.{local,*.local,prod*,stag*,dev*,test*,live,private,secret*,backup,bak,old}",
    "{prod,production,staging,secret,secrets}.env",
    "!*.{example,sample,template,dist}",
    ".gnupg/**",
    ".password-store/**",
    ".local/share/keyrings/**",
    ".{aws,azure,kube,gnupg,password-store}",
    ".config/gcloud",
    ".aws/{credentials,config}",
    ".aws/{sso,cli}/cache/**",
    ".azure/{accessTokens.json,msal_token_cache*,service_principal_entries*}",
    ".config/gcloud/{credentials.db,access_tokens.db,application_default_credentials.json}",
    ".config/gcloud/legacy_credentials/**",
    ".config/{gh/hosts.yml,hub,op/**,rclone/rclone.conf,doctl/config.yaml}",
    ".kube/config",
    ".docker/config.json",
    ".{netrc,pgpass,my.cnf,git-credentials,pypirc,s3cfg,boto,vault-token}",
    "_netrc",
    "~/.npmrc",
    ".gem/credentials",
    ".cargo/credentials{,.toml}",
    ".terraform.d/credentials.tfrc.json",
    ".{huggingface,cache/huggingface}/token",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    "Library/Keychains/**",
    "*.{keychain,keychain-db,kdbx,p12,pfx,ppk}",
    "{private,privkey,*-key,*_key,*.key}.pem",
    "{server,private,tls,ssl}.key",
    "config/master.key",
    "service-account*.json",
    "client_secret*.json",
    "{Login Data,logins.json,key4.db}",
    "/etc/{shadow,gshadow,master.passwd}{,-}",
    "/etc/ssh/ssh_host_*_key",
    "/{run,var/run}/secrets/**",
    "/proc/*/environ",
  ],
  /** What runs by itself: at login, at boot, on a schedule, or when Git or SSH is used. */
  startup: [
    "~/.{bashrc,bash_aliases,bash_profile,bash_login,bash_logout,profile,zshrc,zshenv,zprofile,zlogin,zlogout,kshrc,cshrc,tcshrc,login}",
    ".config/nushell/{config,env,login}.nu",
    ".config/fish/{config.fish,conf.d/**,functions/**}",
    ".{xinitrc,xprofile,xsession,xsessionrc,pam_environment}",
    ".config/{autostart/**,systemd/user/**,environment.d/**}",
    ".local/share/systemd/user/**",
    "Library/{LaunchAgents,LaunchDaemons}/**",
    ".ssh/{authorized_keys*,config,config.d/**,rc,environment}",
    ".git/{hooks/**,config}",
    "!.git/hooks/*.sample",
    "~/.{gitconfig,npmrc}",
    "~/.config/git/{config,hooks/**}",
    "crontab",
    "sudoers",
    "/etc/{crontab,anacrontab,cron.*/**,rc.local,init.d/**,systemd/**,profile,profile.d/**,environment,sudoers,sudoers.d/**,ld.so.preload}",
    "/etc/{bash.bashrc,bashrc,zsh/**,zshrc,zshenv,pam.d/**,passwd,group,shadow}",
    "/{lib,usr/lib}/systemd/**",
    "/var/spool/{cron,at}/**",
  ],
  /** The settings that an agent's hooks depend on. */
  agents: [
    ".claude/{settings.json,settings.local.json,hooks/**}",
    ".codex/{config.toml,hooks.json,hooks/**}",
    ".gemini/{settings.json,hooks/**}",
    ".copilot/{config.json,settings.json,hooks/**}",
    ".github/{hooks/**,copilot/settings.json}",
    "managed-settings.json",
    "managed-settings.d/**",
    "/etc/{claude-code,codex,gemini-cli,github-copilot}/**",
    "/Library/Application Support/{ClaudeCode,GeminiCli}/**",
    "gemini-cli/settings.json",
    "github-copilot/policy.d/**",
  ],
  /** Hookline's own files: configuration, state, hooks and sockets. */
  hookline: [
    "hookline.toml",
    ".hookline/**",
    "{.config,.local/state,config,state}/hookline/**",
    "hookline/{attach,hooks,spool}/**",
    "hookline/{hub,protect,logins,policy,trust,page-name,gates}.json",
    "{operator,always-allow,agent-processes}.json",
    "{http,line}.sock",
    "/run/user/*/hookline/**",
    "/{etc,opt,run,var/lib}/hookline/**",
    "hookline.service",
    "*hookline*.plist",
    "bin/hookline",
    "/{usr,usr/local,opt/homebrew}/lib/node_modules/hookline/**",
    "~/{.local,.npm-global}/lib/node_modules/hookline/**",
    "~/.nvm/versions/node/*/lib/node_modules/hookline/**",
  ],
  /** The tokens, keys and sockets with which a program acts as Hookline's operator. */
  "hookline-secrets": [
    "{operator,always-allow,agent-processes}.json",
    "hookline/{hub,protect,logins,policy,trust,page-name}.json",
    "hookline/attach/{key,*}",
    // The folders as a whole. A project may be named hookline too.
    ".local/state/hookline{,/attach}",
    "/var/lib/hookline{,/attach}",
    "{http,line}.sock",
  ],
} as const satisfies { readonly [name: string]: readonly string[] };
