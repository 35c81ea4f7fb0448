import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** File of an image, by its path below the root. */
type ImageFile = { readonly path: string; readonly bytes: number; readonly changed: number };

/** Lists all files and links below a folder. */
export function listImageFiles(root: string, folder: string): ImageFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { size, mtimeMs } = lstatSync(path);
      return { path: path.slice(root.length), bytes: size, changed: mtimeMs };
    });
}

/** Total size of files, in units of 10^6 bytes, as registries and Docker print sizes of images. */
export function sumMegabytes(files: readonly ImageFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
}
