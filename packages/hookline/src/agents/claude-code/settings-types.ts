import { readSettings } from "../install/json-document.js";
import type { OffSwitch } from "../shared/definition.js";
import { isObject } from "../shared/native-payload.js";
import { rejectedFile } from "../shared/settings-files.js";

/**
 * The settings whose type Claude Code 2.1.325 insists on: with another value in one of them, also null, it ignores the whole file. Names in the order
 * of its own list, without those for which it falls back to a default.
 */
const SETTINGS: { readonly [type in Type]: readonly string[] } = {
  string: [
    "$schema apiKeyHelper proxyAuthHelper awsCredentialExport awsAuthRefresh gcpAuthRefresh processWrapper",
    "attributionProject model availableModelsMatch workflowSizeGuideline defaultShell prUrlTemplate parentSettingsBehavior",
    "managedSourcesBehavior otelHeadersHelper outputStyle language feedbackDrafts advisorModel agent autoUpdatesChannel",
    "minimumVersion requiredMinimumVersion requiredMaximumVersion plansDirectory tui timeZone totalTokensReminder",
    "autoMemoryDirectory disableAutoMode claudeMd pluginTrustMessage daemonColdStart",
  ],
  texts: [
    "fallbackModel availableModels deniedModels enabledMcpjsonServers disabledMcpjsonServers allowedHttpHookUrls",
    "httpHookAllowedEnvVars pluginSuggestionMarketplaces companyAnnouncements claudeMdExcludes",
  ],
  boolean: [
    "respectGitignore syncClaudeAiSkills syncClaudeAiPlugins wslInheritsWindowsSettings includeCoAuthoredBy",
    "includeGitInstructions enforceAvailableModels enableAllProjectMcpServers disableClaudeAiConnectors",
    "disableBundledSkills disableReplyCheck disableAgentView disableRemoteControl disableWorkflows disableArtifact",
    "enableArtifact enableWorkflows workflowKeywordTriggerEnabled disableSkillShellExecution disableWindowsBashCommandSplit",
    "bashEditDiffEnabled respondToBashCommands allowManagedHooksOnly allowManagedPermissionRulesOnly",
    "allowManagedMcpServersOnly allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp disableCommandPluginSources",
    "disableSideloadFlags forceRemoteSettingsRefresh skipWebFetchPreflight spinnerTipsEnabled clawdFileProgressEnabled",
    "syntaxHighlightingDisabled terminalTitleFromRename alwaysThinkingEnabled fastMode fastModePerSessionOptIn",
    "promptSuggestionEnabled emojiCompletionEnabled awaySummaryEnabled responseComparisonEnabled",
    "showClearContextOnPlanAccept channelsEnabled prefersReducedMotion doneMeansMerged totalTokensReminderAfterUserTurn",
    "autoMemoryEnabled autoDreamEnabled showThinkingSummaries skipDangerousModePermissionPrompt skipWorkflowUsageWarning",
    "verbose autoCompactEnabled precomputeCompactionEnabled idleCompaction switchModelsOnFlag autoContinueAtUsageLimit",
    "autoScrollEnabled wheelScrollAccelerationEnabled fileCheckpointingEnabled showTurnDuration showMessageTimestamps",
    "terminalProgressBarEnabled todoFeatureEnabled remoteControlAtStartup isolatePeerMachines autoUploadSessions",
    "inputNeededNotifEnabled agentPushNotifEnabled",
  ],
  number: [
    "cleanupPeriodDays desktopSessionCleanupPeriodDays skillListingMaxDescChars skillListingBudgetFraction",
    "feedbackSurveyRate totalTokensReminderBudget",
  ],
  object: [
    "fileSuggestion breakReminder quietHours attributionProjectPolicy modelOverrides modelPicker modelPricing",
    "skillOverrides enabledPlugins spinnerVerbs pluginConfigs remote voice remoteTools sandbox",
  ],
};

type Type = "string" | "texts" | "boolean" | "number" | "object";

const PERMISSIONS: { readonly [name: string]: Type | "list" } = {
  allow: "list",
  deny: "list",
  ask: "list",
  additionalDirectories: "list",
  defaultMode: "string",
  disableBypassPermissionsMode: "string",
};

/** Claude Code leaves out other hooks that it cannot read. Of these, it ignores the whole file: they might guard what the file permits. */
const GUARDING = ["PreToolUse", "PermissionRequest"];

/** The fields that a hook must have, by its type. */
const NEEDED: { readonly [type: string]: readonly string[] } = {
  command: ["command"],
  http: ["url"],
  prompt: ["prompt"],
  agent: ["prompt"],
  mcp_tool: ["server", "tool"],
};

const types = new Map(
  (Object.keys(SETTINGS) as Type[]).flatMap((type) =>
    SETTINGS[type]
      .join(" ")
      .split(" ")
      .map((name) => [name, type] as const),
  ),
);

/** A file that Claude Code ignores, with all hooks in it, because a value in it has another type than the setting. */
export function typeSwitch(path: string): OffSwitch {
  return rejectedFile(path, (text) => rejectedIn(readSettings(text)) !== undefined);
}

/** The first setting with a value that Claude Code does not accept. `disableAllHooks` is not among them: its value has a check of its own. */
export function rejectedIn(settings: unknown): string | undefined {
  if (!isObject(settings)) return undefined;
  const { env = {}, permissions = {}, hooks = {} } = settings;
  const name = Object.keys(settings).find((one) => !isOf(types.get(one), settings[one]));
  if (name !== undefined) return name;
  if (!isObject(env)) return "env";
  if (!isObject(permissions)) return "permissions";
  const permission = Object.keys(permissions).find((one) => !isOf(PERMISSIONS[one], permissions[one]));
  if (permission !== undefined) return `permissions.${permission}`;
  if (!isObject(hooks)) return "hooks";
  const event = GUARDING.find((one) => {
    const { [one]: groups = [] } = hooks;
    return !Array.isArray(groups) || !groups.every(isGroup);
  });
  return event === undefined ? undefined : `hooks.${event}`;
}

function isOf(type: Type | "list" | undefined, value: unknown): boolean {
  if (type === undefined) return true;
  if (type === "list") return Array.isArray(value);
  if (type === "texts") return Array.isArray(value) && value.every((item) => typeof item === "string");
  return type === "object" ? isObject(value) : typeof value === type;
}

function isGroup(group: unknown): boolean {
  if (!isObject(group) || (group.matcher !== undefined && typeof group.matcher !== "string")) return false;
  return Array.isArray(group.hooks) && group.hooks.every(isHandler);
}

function isHandler(handler: unknown): boolean {
  if (!isObject(handler)) return false;
  const { type, url, timeout = 1 } = handler;
  if (typeof type !== "string" || !Object.hasOwn(NEEDED, type)) return false;
  if (typeof timeout !== "number" || timeout <= 0 || (type === "http" && !URL.canParse(String(url)))) return false;
  return (NEEDED[type] ?? []).every((field) => typeof handler[field] === "string");
}
