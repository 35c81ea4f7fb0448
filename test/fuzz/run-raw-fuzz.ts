/** `npm run check -- fuzz-raw --seconds N --seed S`: arbitrary bytes must not trap, hang or write out of bounds. */
import { parseRunOptions, runFuzz } from './fuzz-run.ts';

if (!(await runFuzz('raw', parseRunOptions(process.argv.slice(2))))) process.exitCode = 1;
