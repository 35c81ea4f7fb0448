import { FieldProblem } from '../console/field.ts';
import { element, setText } from '../dom.ts';

type FormParts = {
  readonly title: string;
  readonly content: readonly Node[];
  /** Text of the button that makes the change. */
  readonly action: string;
  /** Whether the change cannot be undone; then `Cancel` has the focus at first. */
  readonly isFinal?: boolean;
  /** Makes the change. The dialog shows the message of an error, and closes otherwise. @throws Error with a readable message */
  run(): Promise<void>;
};

/** The dialog of the view of keys. Its content is in the document only while the dialog is open. */
export class KeyDialog {
  readonly root: HTMLDialogElement = element('dialog', {
    class: 'dialog',
    'aria-labelledby': 'dialog-title',
  });
  #mustStay = false;

  constructor() {
    this.root.addEventListener('close', () => {
      this.#clear();
      // The button that opened the dialog may be gone.
      if (document.activeElement === document.body) document.getElementById('keys-title')?.focus();
    });
    this.root.addEventListener('cancel', (event) => {
      if (this.#mustStay) event.preventDefault();
    });
  }

  /** Shows a form with a button that makes a change. */
  openForm({ title, content, action, isFinal = false, run }: FormParts): void {
    const problem = element('p', { class: 'problem', role: 'alert' });
    const submit = element('button', { type: 'submit', class: isFinal ? 'final' : 'main' }, action);
    const cancel = element('button', { type: 'button', ...(isFinal && { autofocus: '' }) }, 'Cancel');
    const buttons = element('div', { class: 'buttons' }, submit, cancel);
    const form = element('form', { novalidate: '' }, ...content, problem, buttons);
    cancel.addEventListener('click', () => this.close());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (submit.disabled) return;
      submit.disabled = true;
      setText(problem, '');
      run()
        .then(() => {
          if (form.isConnected) this.close();
        })
        .catch((error: Error) => {
          setText(problem, error.message);
          if (error instanceof FieldProblem) error.show();
        })
        .finally(() => {
          submit.disabled = false;
        });
    });
    this.#open(title, [form]);
  }

  /** Shows content that cannot be shown again. Only the button `Done` closes the dialog, so that no key loses the content by accident. */
  openOnce(title: string, content: readonly Node[]): void {
    const done = element('button', { type: 'button' }, 'Done');
    done.addEventListener('click', () => this.close());
    this.#open(title, [...content, element('div', { class: 'buttons' }, done)]);
    this.#mustStay = true;
    // The browser ignores Escape, also a second one.
    this.root.setAttribute('closedby', 'none');
  }

  close(): void {
    if (this.root.open) this.root.close();
    this.#clear();
  }

  #open(title: string, content: readonly Node[]): void {
    this.close();
    this.root.append(element('h3', { id: 'dialog-title' }, title), ...content);
    this.root.showModal();
  }

  #clear(): void {
    // A dialog that was opened in the meantime has content of its own.
    if (this.root.open) return;
    this.#mustStay = false;
    this.root.removeAttribute('closedby');
    this.root.replaceChildren();
  }
}
