import type { BlockOverrides, BlockReference, CallObject, StateOverrides } from '../chain/requests.ts';
import type { Param } from '../rpc/method.ts';
import { anyBlock } from './block-reference.ts';
import { callObject } from './call-object.ts';
import { blockOverrides, stateOverrides } from './overrides.ts';

/** Parameters of the methods that execute a message call. */
export const CALL_PARAM: Param<CallObject, true> = {
  name: 'call',
  description: 'The message call; all fields are optional.',
  required: true,
  codec: callObject,
};

export const CALL_BLOCK_PARAM: Param<BlockReference, false> = {
  name: 'block',
  description: 'Block with the state that the call runs on. Default: `latest`.',
  required: false,
  codec: anyBlock,
};

export const STATE_OVERRIDES_PARAM: Param<StateOverrides, false> = {
  name: 'stateOverrides',
  description: 'Accounts to replace for this call.',
  required: false,
  codec: stateOverrides,
};

export const BLOCK_OVERRIDES_PARAM: Param<BlockOverrides, false> = {
  name: 'blockOverrides',
  description: 'Block fields to replace for this call.',
  required: false,
  codec: blockOverrides,
};
