import { createProse, element } from '../dom.ts';

const EXAMPLE = `admin:
  api:
    operator: { role: write, token: "\${ADMIN_WRITE_TOKEN}" }`;

/** Creates the text that is shown if there is no Admin API. */
export function createSetupNote(): HTMLElement {
  const says =
    'Keys can be managed here if the Admin API is on. Add a credential to the configuration, and restart the service (docs/operations.md, "Admin API"). Without it, use `portcullis keys`.';
  return element(
    'div',
    {},
    element('p', {}, ...createProse(says)),
    element('pre', { class: 'setup' }, EXAMPLE),
  );
}
