import { findDevelopmentLabel } from '../../methods/development-methods.ts';
import { METHODS } from '../../methods/table.ts';
import { objectOf, optional, required } from '../../rpc/codec/object-codec.ts';
import type { Method } from '../../rpc/method.ts';
import { pointToSortedNames } from '../../util/near-name.ts';
import { anyList, blockArgument, shortText } from '../arguments.ts';
import { defineTool, parseArgument, type Tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import type { ToolRun } from '../tool-run.ts';

type MethodRow = Method<never>;

/** Methods that need a connection of their own, or leave state at the gateway. */
const STATEFUL = /_(?:un)?subscribe$|_new\w*Filter$|_getFilter\w+$|_uninstallFilter$/;

/** Creates the tool for all other methods. @param allowsSending whether methods that send transactions or change a development node are among them */
export function createRpcTool(allowsSending: boolean): Tool {
  const methods = listMethods(allowsSending);
  return defineTool({
    name: 'rpc',
    title: 'Call a JSON-RPC method',
    description: `Calls a method of JSON-RPC with raw parameters, and returns its raw result. Prefer the other tools where one fits. Numbers are hex texts. Methods: ${[...methods.values()].map(describeMethod).join(', ')}.`,
    methods: ['*'],
    args: objectOf('rpc', {
      method: required(shortText),
      params: optional(anyList, 'parameters in order; default: none'),
    }),
    async handle({ method: name, params = [] }, run) {
      const method = methods.get(name);
      if (method !== undefined)
        return { result: await run.request(name, await nameBlock(method, params, run)) };
      // The gateway decides whether the network has a development node, and whether this client may use it.
      if (!allowsSending || findDevelopmentLabel(name) === undefined)
        throw new ToolError(refuse(name, methods.keys()));
      return { result: await run.request(name, params) };
    },
  });
}

function listMethods(allowsSending: boolean): ReadonlyMap<string, MethodRow> {
  const rows = METHODS.filter(({ name, sends = false }) => !STATEFUL.test(name) && (allowsSending || !sends));
  return new Map(rows.map((row) => [row.name, row]));
}

function describeMethod({ name, params }: MethodRow): string {
  const names = params.map((param) => (param.required ? param.name : `${param.name}?`));
  return `${name}(${names.join(', ')})`;
}

function refuse(name: string, names: Iterable<string>): string {
  const sends = METHODS.some((method) => method.name === name && method.sends === true);
  if (sends) return `${name} sends transactions: this server was started without --allow-sending`;
  if (findDevelopmentLabel(name) !== undefined)
    return `${name} changes a development node, or signs with its keys: this server was started without --allow-sending`;
  return `this tool has no method ${JSON.stringify(name.slice(0, 80))}${pointToSortedNames(name, names)}`;
}

/** Replaces a tag in the block parameter by the number of the block, so that the answer can name the block. */
async function nameBlock(
  { params: definitions }: MethodRow,
  params: readonly unknown[],
  run: ToolRun,
): Promise<readonly unknown[]> {
  const place = definitions.findIndex(({ codec }) => codec.jsonSchema['title'] === 'block');
  const reference = params[place];
  if (place < 0 || typeof reference !== 'string' || reference === 'pending') return params;
  const block = await run.stamp(parseArgument(blockArgument, reference));
  if (reference.startsWith('0x')) return params;
  return params.with(place, `0x${block.number.toString(16)}`);
}
