/** Responses of nodes that are far larger than requested, made of repeated units. */

/** `head`, the unit repeated up to the size, as many closing units, and `tail`. */
type Shape = {
  readonly head: string;
  readonly unit: Buffer;
  readonly closing?: Buffer;
  readonly tail: string;
};

export type Content = {
  readonly name: string;
  /** Member of the response that holds the content. */
  readonly member: 'result' | 'error';
  /** @param result JSON text of the true result */
  shape(result: string): Shape;
};

const UNIT_BYTES = 64 * 1024;
/** Members with distinct names: more than V8 keeps in order without a table. */
const MEMBERS_BYTES = 1024 * 1024;

const repeat = (text: string): Buffer => Buffer.from(text.repeat(Math.ceil(UNIT_BYTES / text.length)));

function listMembers(): Buffer {
  let text = '';
  for (let index = 0; text.length < MEMBERS_BYTES; index++) text += `"k${index.toString(36)}":0,`;
  return Buffer.from(text);
}

const UNITS = {
  elements: repeat('[],'),
  numbers: repeat('1,'),
  arrays: repeat('['),
  arrayEnds: repeat(']'),
  objects: repeat('{"a":'),
  objectEnds: Buffer.from('}'.repeat(Math.ceil(UNIT_BYTES / 5))),
  hex: repeat('ab'),
  digits: repeat('1'),
  names: repeat('n'),
  escapes: repeat('\\u0000'),
  blanks: repeat(' '),
  doubled: repeat('"a":[],'),
};
/** Created on demand, because other tests import this file, too. */
let members: Buffer | undefined;

const constant =
  (shape: Shape): Content['shape'] =>
  () =>
    shape;

export const CONTENTS: readonly Content[] = [
  {
    name: 'many elements',
    member: 'result',
    shape: constant({ head: '[', unit: UNITS.elements, tail: '[]]' }),
  },
  { name: 'many numbers', member: 'result', shape: constant({ head: '[', unit: UNITS.numbers, tail: '1]' }) },
  {
    name: 'deep arrays',
    member: 'result',
    shape: constant({ head: '', unit: UNITS.arrays, closing: UNITS.arrayEnds, tail: '' }),
  },
  {
    name: 'deep objects',
    member: 'result',
    shape: constant({ head: '', unit: UNITS.objects, closing: UNITS.objectEnds, tail: '' }),
  },
  { name: 'one long string', member: 'result', shape: constant({ head: '"0x', unit: UNITS.hex, tail: '"' }) },
  { name: 'one long number', member: 'result', shape: constant({ head: '', unit: UNITS.digits, tail: '1' }) },
  {
    name: 'many members',
    member: 'result',
    shape() {
      members ??= listMembers();
      return { head: '{', unit: members, tail: '"k":0}' };
    },
  },
  {
    name: 'one member doubled',
    member: 'result',
    shape: constant({ head: '{', unit: UNITS.doubled, tail: '"a":0}' }),
  },
  {
    name: 'one long name',
    member: 'result',
    shape: constant({ head: '{"', unit: UNITS.names, tail: '":0}' }),
  },
  { name: 'escapes', member: 'result', shape: constant({ head: '"', unit: UNITS.escapes, tail: '"' }) },
  { name: 'blanks', member: 'result', shape: constant({ head: '', unit: UNITS.blanks, tail: 'null' }) },
  {
    name: 'the true answer and a long member',
    member: 'result',
    shape(result) {
      const start = /^\{.*\}$/s.test(result)
        ? `${result.slice(0, -1)},"extraData":`
        : `{"value":${result},"data":`;
      return { head: `${start}"0x`, unit: UNITS.hex, tail: '"}' };
    },
  },
  {
    name: 'the true list many times',
    member: 'result',
    shape(result) {
      const items = /^\[.+\]$/s.test(result) ? result.slice(1, -1) : result;
      return { head: '[', unit: repeat(`${items},`), tail: `${items}]` };
    },
  },
  {
    name: 'an error with long data',
    member: 'error',
    shape: constant({
      head: '{"code":3,"message":"execution reverted","data":"0x',
      unit: UNITS.hex,
      tail: '"}',
    }),
  },
  {
    name: 'an error with a long message',
    member: 'error',
    shape: constant({ head: '{"code":-32000,"message":"', unit: UNITS.names, tail: '"}' }),
  },
  {
    name: 'an error with many elements',
    member: 'error',
    shape: constant({
      head: '{"code":3,"message":"execution reverted","data":[',
      unit: UNITS.elements,
      tail: '0]}',
    }),
  },
];

/** A response in chunks. */
export type Pieces = {
  readonly bytes: number;
  [Symbol.iterator](): Iterator<Buffer>;
};

/**
 * Makes a response with a content of about this size.
 * @param text true response, `[...]` around it for a batch
 * @param id JSON text of the id
 * @param bytes size; infinite for a response without end
 */
export function spellResponse(content: Content, text: string, id: string, bytes: number): Pieces {
  const isBatch = text.startsWith('[');
  const { head, unit, closing = Buffer.alloc(0), tail } = content.shape(readResult(text));
  const start = Buffer.from(`${isBatch ? '[' : ''}{"jsonrpc":"2.0","id":${id},"${content.member}":${head}`);
  const end = Buffer.from(`${tail}}${isBatch ? ']' : ''}`);
  const count = Math.ceil(bytes / (unit.length + closing.length));
  return {
    bytes: start.length + count * (unit.length + closing.length) + end.length,
    *[Symbol.iterator]() {
      yield start;
      for (let index = 0; index < count; index++) yield unit;
      for (let index = 0; index < count && closing.length > 0; index++) yield closing;
      yield end;
    },
  };
}

/** Reads the result of a response, or of the first one of a batch, as JSON. */
function readResult(text: string): string {
  const parsed = JSON.parse(text) as { readonly result?: unknown } | readonly { readonly result?: unknown }[];
  const response = Array.isArray(parsed) ? parsed[0] : parsed;
  return JSON.stringify(response?.result ?? null);
}
