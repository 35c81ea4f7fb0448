/** Commands that open networks of a configuration and exit, loaded on demand as one bundle. */
import { runDoctor } from '../doctor/doctor.ts';
import { runProve } from './prove.ts';

export { runDoctor, runProve };
