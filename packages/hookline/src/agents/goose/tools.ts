import { sameNamed, type ToolTable } from "../shared/tool-table.js";

const developer: ToolTable = {
  shell: { name: "Bash" },
  write: { name: "Write" },
  edit: { name: "Edit" },
  tree: { name: "LS" },
  read_image: { name: "Read", path: "source" },
};

/**
 * Every tool of Goose 1.34.0 by the name that its hooks receive, the shell first. Newer versions put the name of the extension before it, by their
 * documentation.
 */
export const tools: ToolTable = {
  ...developer,
  ...Object.fromEntries(Object.entries(developer).map(([native, words]) => [`developer__${native}`, words])),
  delegate: { name: "Task" },
  load_skill: { name: "Skill" },
  todo__todo_write: { name: "TodoWrite" },
  ...sameNamed("analyze", "load", "apps__create_app", "apps__delete_app", "apps__iterate_app", "apps__list_apps"),
  ...sameNamed("extensionmanager__list_resources", "extensionmanager__manage_extensions", "extensionmanager__read_resource"),
  ...sameNamed("extensionmanager__search_available_extensions"),
};
