import type { BlockReference, StateOverrides } from '../chain/requests.ts';
import { type Codec, isJsonObject, readValue } from '../rpc/codec/codec.ts';
import { blockNumberOrTag } from './block-reference.ts';
import { stateOverrides } from './overrides.ts';

export type BlockOrOverrides = {
  readonly block?: BlockReference;
  readonly stateOverrides?: StateOverrides;
};

/** Parameter that is a block reference as a string, or state overrides as an object. */
export const blockOrOverrides: Codec<BlockOrOverrides> = {
  parse: (raw) =>
    isJsonObject(raw)
      ? { stateOverrides: readValue(stateOverrides, raw) }
      : { block: blockNumberOrTag.parse(raw) },
  *parseInPieces(raw, pace) {
    const { parseInPieces } = stateOverrides;
    if (!isJsonObject(raw) || parseInPieces === undefined) return blockOrOverrides.parse(raw);
    return { stateOverrides: yield* parseInPieces.call(stateOverrides, raw, pace) };
  },
  jsonSchema: {
    title: 'block or state overrides',
    oneOf: [blockNumberOrTag.jsonSchema, stateOverrides.jsonSchema],
  },
};
