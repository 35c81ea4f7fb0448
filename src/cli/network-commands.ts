/** The commands that open networks of a configuration and end: one part of the program, loaded on demand. */
import { runDoctor } from './doctor.ts';
import { runProve } from './prove.ts';

export { runDoctor, runProve };
