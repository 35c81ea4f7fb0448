import { type Command, createCommand } from '../service/command.ts';
import { readVersion } from '../service/version.ts';

/** `portcullis version`, `portcullis --version` and `portcullis -v` */
export const versionCommand: Command = createCommand({
  name: 'version',
  about: 'Prints the version.',
  options: {},
  examples: ['portcullis version'],
  async run() {
    process.stdout.write(`${readVersion()}\n`);
    return 0;
  },
});
