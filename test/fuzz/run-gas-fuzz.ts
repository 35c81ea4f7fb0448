/** `npm run check -- fuzz-gas --seconds N --seed S`: the gas need that a message reports is sufficient, and less is not. */
import { parseRunOptions, runFuzz } from './fuzz-run.ts';

if (!(await runFuzz('gas', parseRunOptions(process.argv.slice(2))))) process.exitCode = 1;
