import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * A small disk whose power can be cut: ext4 in a file, and the file on XFS in memory. A reflink of the file is one moment of the disk, with
 * all that the file system has written and nothing of what it still holds in memory. It needs root, loop devices and mkfs.xfs.
 */
export class CutDisk {
  /** Where it is mounted. */
  readonly path: string;
  readonly #folder: string;
  readonly #inner: string;
  #image = "disk0";
  #copies = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, "data");
    this.#inner = join(folder, "images");
  }

  /** Mounts it below a folder; a sentence where that is not possible. The caller has a mount namespace of its own. */
  static open(folder: string, megabytes: number): CutDisk | string {
    const disk = new CutDisk(folder);
    try {
      for (const path of [disk.path, disk.#inner, join(folder, "memory")]) mkdirSync(path, { recursive: true, mode: 0o700 });
      run("mount", "-t", "tmpfs", "-o", "size=1g,mode=700", "tmpfs", join(folder, "memory"));
      const outer = join(folder, "memory", "xfs");
      run("truncate", "-s", "800M", outer);
      run("mkfs.xfs", "-q", "-m", "reflink=1", outer);
      run("mount", "-o", "loop", outer, disk.#inner);
      run("truncate", "-s", `${megabytes}M`, disk.#imagePath(disk.#image));
      run("mkfs.ext4", "-q", "-F", "-m", "0", disk.#imagePath(disk.#image));
      disk.#mount(disk.#image, disk.path);
      return disk;
    } catch (error) {
      disk.close();
      return `a disk that can be cut needs root, loop devices and mkfs.xfs (${(error as Error).message})`;
    }
  }

  /** The disk as it would be found if the power failed now. */
  copy(): string {
    const name = `disk${++this.#copies}`;
    run("cp", "--reflink=always", this.#imagePath(this.#image), this.#imagePath(name));
    return name;
  }

  /** Mounts a copy of the copy and has it looked at; the copy itself stays as it was. */
  async look<T>(copy: string, act: (folder: string) => T | Promise<T>): Promise<T> {
    const [image, folder] = [`${copy}-look`, join(this.#folder, `${copy}-look`)];
    run("cp", "--reflink=always", this.#imagePath(copy), this.#imagePath(image));
    mkdirSync(folder, { mode: 0o700 });
    try {
      this.#mount(image, folder);
      return await act(folder);
    } finally {
      quietly("umount", folder);
      this.discard(image);
    }
  }

  /** The power is back: what runs on it from now on finds the copy. Nothing may have the disk open. */
  async returnTo(copy: string): Promise<void> {
    for (let tries = 50; spawnSync("umount", [this.path]).status !== 0; tries--) {
      if (tries === 0) run("umount", this.path);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    this.discard(this.#image);
    this.#image = copy;
    this.#mount(copy, this.path);
  }

  discard(copy: string): void {
    rmSync(this.#imagePath(copy), { force: true });
  }

  close(): void {
    for (const path of [this.path, this.#inner, join(this.#folder, "memory")]) quietly("umount", path);
  }

  #imagePath(name: string): string {
    return join(this.#inner, name);
  }

  #mount(image: string, folder: string): void {
    run("mount", "-o", "loop", this.#imagePath(image), folder);
    // mkfs makes it readable for all, which the hub refuses.
    run("chmod", "700", folder);
  }
}

function run(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(`${command}: ${(error?.message ?? stderr).trim()}`);
}

function quietly(command: string, ...args: string[]): void {
  // Lazily, if something still has it open: the namespace ends with the run anyway.
  if (spawnSync(command, args, { timeout: 60_000 }).status !== 0) spawnSync(command, ["-l", ...args], { timeout: 60_000 });
}
