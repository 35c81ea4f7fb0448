/**
 * Commands that open networks of a configuration, and exit when they are done. The module `network-commands.ts` is loaded on demand, as one bundle.
 */
import { doctorCommand } from '../doctor/doctor.ts';
import { proveCommand } from './prove.ts';

export { doctorCommand, proveCommand };
