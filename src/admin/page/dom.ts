/**
 * DOM helpers that create only elements and text nodes, so that no name or message can become markup.
 */

type Child = Node | string;
export type Attributes = Readonly<Record<string, string>>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

export function svgElement<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const created = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

/** Renders documentation text; words between backticks are code. */
export function createProse(text: string): Node[] {
  return text
    .split('`')
    .map((part, i) => (i % 2 === 0 ? document.createTextNode(part) : element('code', {}, part)));
}

/** Sets the text of a node only if it differs, so that a selection in unchanged text survives. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(node: Element, name: string, value: string): void {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** @throws TypeError when the document has no such element */
export function findById(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new TypeError(`there is no #${id}`);
  return found;
}
