/** Owns an append-only file with rotation: `audit.jsonl`, then `audit.jsonl.1`, the oldest with the highest number. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface AppendFileOptions {
  readonly path: string;
  /** A file is rotated before it would be larger. @default 64 MiB */
  readonly maxBytes?: number;
  /** Number of rotated files to keep. @default 5 */
  readonly keep?: number;
}

export interface AppendFile {
  /** Appends text; calls must not overlap. Opens the file if necessary. */
  readonly append: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export function appendFile({ path, maxBytes = 64 * 1_024 * 1_024, keep = 5 }: AppendFileOptions): AppendFile {
  let handle: FileHandle | undefined;
  let size = 0;
  const openFile = async (): Promise<FileHandle> => {
    if (handle) return handle;
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'a', 0o600);
    handle = file;
    // The file may have existed before with other permissions.
    const { size: before, mode } = await file.stat();
    if ((mode & 0o077) !== 0) await file.chmod(0o600);
    size = before;
    return file;
  };
  const close = async (): Promise<void> => {
    const file = handle;
    handle = undefined;
    await file?.close();
  };
  const rotate = async (): Promise<void> => {
    await close();
    await rm(`${path}.${keep}`, { force: true });
    for (let number = keep; number > 1; number--) await renameIfExists(`${path}.${number - 1}`, `${path}.${number}`);
    if (keep > 0) await renameIfExists(path, `${path}.1`);
    else await rm(path, { force: true });
  };
  const append = async (text: string): Promise<void> => {
    const bytes = Buffer.from(text, 'utf8');
    let file = await openFile();
    if (size > 0 && size + bytes.length > maxBytes) {
      await rotate();
      file = await openFile();
    }
    await file.appendFile(bytes);
    size += bytes.length;
  };
  return {
    append: async (text) => {
      try {
        await append(text);
      } catch (error) {
        // The next call opens the file again: the disk may have space by then, or the folder may exist.
        await close().catch(() => undefined);
        throw error;
      }
    },
    close,
  };
}

async function renameIfExists(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ENOENT') throw error;
  }
}
