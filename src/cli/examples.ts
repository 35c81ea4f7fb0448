import { createBuiltinConfig, ROLLUP_STYLES } from '../config/builtin-config.ts';
import { type Command, createCommand } from '../service/command.ts';
import { LISTEN_VARIABLES } from '../service/common-help.ts';
import { buildCurlLines } from './curl-lines.ts';

/** `portcullis examples` */
export const examplesCommand: Command = createCommand({
  name: 'examples',
  about: 'Prints curl commands for `portcullis start`, which has to run when they are pasted.',
  options: {
    rollup: {
      value: 'FAMILY',
      choices: ROLLUP_STYLES,
      default: 'linea',
      about: 'family of the rollup, as for start',
    },
  },
  environment: LISTEN_VARIABLES,
  examples: ['portcullis examples', 'PORTCULLIS_PORT=9000 portcullis examples --rollup op-stack'],
  async run({ rollup }) {
    const { listen } = createBuiltinConfig(process.env, rollup);
    process.stdout.write(`${buildCurlLines(listen, rollup).join('\n\n')}\n`);
    return 0;
  },
});
