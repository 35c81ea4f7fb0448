import * as z from 'zod';
import { findNodeMethodProblem } from '../pool/node-method-rule.ts';
import { option } from '../util/option.ts';

/** Section `methods:` of a network's configuration. Each entry is a method name, or a namespace with all its methods: `debug_*`. */
export type MethodOptions = {
  /** Restricts the methods that are served by default to this list. */
  readonly only?: readonly string[];
  /** Methods that are not served. */
  readonly except: readonly string[];
  /** Further methods, answered by the nodes of the network. */
  readonly also: readonly string[];
  /**
   * Whether methods of a development node are served to all clients (true) or to none (false). If the option is absent, only clients on this machine
   * may call methods of a development node.
   */
  readonly development?: boolean;
};

const MAX_ENTRIES = 500;

const entrySchema = z
  .string()
  .regex(
    /^[A-Za-z0-9]{1,32}_([A-Za-z0-9_]{1,64}|\*)$/,
    'expected the name of a method, or of a namespace such as debug_*',
  );

const listSchema = z.array(entrySchema).max(MAX_ENTRIES);

const nodeMethodsSchema = z
  .array(z.string())
  .max(MAX_ENTRIES)
  .superRefine((names, context) => {
    for (const [i, name] of names.entries()) {
      const message = findNodeMethodProblem(name);
      if (message !== undefined) context.addIssue({ code: 'custom', message, path: [i] });
    }
  });

export const methodOptionsSchema: z.ZodType<MethodOptions> = z
  .strictObject({
    only: option(
      'Methods that are served instead of all methods of docs/methods.md. An entry is a name, or a namespace such as `eth_*`.',
      listSchema.min(1).exactOptional(),
    ),
    except: option(
      'Methods that are not served: names, or namespaces such as `debug_*`.',
      listSchema.default([]),
    ),
    also: option(
      'Further methods that the nodes of the network answer: names, or namespaces such as `scroll_*`.',
      nodeMethodsSchema.default([]),
    ),
    development: option(
      'Whether methods of a development node (`anvil_*`, `eth_sendTransaction`) are served to all clients or to none. By default, they are served to clients on this machine.',
      z.boolean().exactOptional(),
    ),
  })
  .prefault({});

/** Whether a method that is served by default is served under these options. */
export function isServed({ only, except }: MethodOptions, name: string): boolean {
  const isNamed = (entry: string): boolean => matchesEntry(entry, name);
  return !except.some(isNamed) && (only === undefined || only.some(isNamed));
}

/** Whether a list entry matches this method. */
export function matchesEntry(entry: string, name: string): boolean {
  return entry.endsWith('_*') ? name.startsWith(entry.slice(0, -1)) : name === entry;
}
