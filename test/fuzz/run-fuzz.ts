/** `npm run fuzz -- --seconds N --seed S --revision R`: the engine against @ethereumjs/evm on random programs. */
import { parseRunOptions, runFuzz } from './fuzz-run.ts';

if (!(await runFuzz('differential', parseRunOptions(process.argv.slice(2))))) process.exitCode = 1;
