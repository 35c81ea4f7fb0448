/**
 * Commands that open networks of a configuration, and exit when they are done. The module `network-commands.ts` is loaded on demand, as one bundle.
 */
import { runDoctor } from '../doctor/doctor.ts';
import { runProve } from './prove.ts';

export { runDoctor, runProve };
