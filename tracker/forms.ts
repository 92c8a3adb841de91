import { cleanAddress } from './address.ts'
import { guarded, listen } from './api.ts'
import { attributeText, isRefused } from './clicks.ts'
import { track } from './track.ts'

const ACTION_CHARS = 500

/** A form is the target of its submit, and a button submits it, or a script. */
type FormSubmit = SubmitEvent & { target: HTMLFormElement; submitter: HTMLButtonElement | null }

/**
 * Sends `$form_submit`, never with values of fields. It reads attributes and not properties of the form,
 * because a field named `id` or `action` hides the property.
 */
export function watchForms(): void {
  const submit = guarded(({ target: form, submitter }: FormSubmit) => {
    if (isRefused(form, submitter)) return
    track('$form_submit', {
      id: attributeText(form, 'id'),
      classes: attributeText(form, 'class'),
      name: attributeText(form, 'name'),
      action: cleanAddress(form.getAttribute('action') || '', document.baseURI).slice(0, ACTION_CHARS),
      method: (attributeText(form, 'method') || 'get').toLowerCase(),
    })
  })
  listen('submit', submit)
  // A submit does not leave its shadow tree, but the click or the key before it does. To add the same
  // listener again does nothing.
  listen('click keydown', event => {
    for (const root of event.composedPath() as ShadowRoot[])
      if (root.mode) root.addEventListener('submit', submit as EventListener, true)
  })
}
