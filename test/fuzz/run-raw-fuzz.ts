/** `npm run fuzz:raw -- --seconds N --seed S`: any bytes at all, which must neither trap nor hang nor write astray. */
import { parseRunOptions, runFuzz } from './fuzz-run.ts';

if (!(await runFuzz('raw', parseRunOptions(process.argv.slice(2))))) process.exitCode = 1;
