import { listAlternatives, type OpenRpcSchema } from './open-rpc.ts';
import type { TextKind } from './text-field.ts';
import { describeSchema, formatValue, isQuantity, listChoices, parseValue } from './values.ts';

/** Creates the kind of a text field from the schema of its value. */
export function createSchemaKind(schema: OpenRpcSchema, required: boolean, description: string): TextKind {
  const alternatives = listAlternatives(schema);
  const isJson = alternatives.every(({ type }) => type === 'object' || type === 'array');
  return {
    parse: (text) => parseValue(text.trim(), schema),
    format: formatValue,
    help: description || describeSchema(schema),
    placeholder: isJson ? 'JSON' : required ? '' : 'not set',
    isLong: isJson || alternatives.some(({ title }) => title === 'data'),
    isNumber: alternatives.some(isQuantity),
    isEmptyValid: false,
    choices: listChoices(schema),
  };
}
