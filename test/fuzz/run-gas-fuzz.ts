/** `npm run fuzz:gas -- --seconds N --seed S`: what a message says it needed is enough for it, and less is not. */
import { parseRunOptions, runFuzz } from './fuzz-run.ts';

if (!(await runFuzz('gas', parseRunOptions(process.argv.slice(2))))) process.exitCode = 1;
