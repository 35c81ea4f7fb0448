import type { Param } from '../rpc/method.ts';
import { boolean } from '../rpc/schemas.ts';

/** The second parameter of the methods that answer with a block. */
export const FULL_PARAM: Param<boolean, false> = {
  name: 'full',
  description: 'Whether transactions come whole instead of as hashes. Default: false.',
  required: false,
  codec: boolean,
};
