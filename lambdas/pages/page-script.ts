/**
 * The script of the pages. It copies the text of an element, and asks the browser for a passkey: the options
 * are an attribute of the form, and the answer goes into its hidden field. All other pages work without it.
 */
export const PAGE_SCRIPT = `for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) break
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
    document.querySelector('[data-copied]').hidden = false
  })
}
const form = document.querySelector('form[data-passkey]')
if (form) {
  const { passkey: kind, options } = form.dataset
  const button = form.querySelector('button')
  const problem = document.querySelector('[data-passkey-problem]')
  const texts = {
    NotAllowedError: 'No passkey was used: there is none for this address, or the question was closed. Try again, or go another way.',
    InvalidStateError: 'This device has a passkey of the account already.',
    SecurityError: 'Passkeys belong to the address of the service, and this page has another one. Open the service at its own address.',
  }
  const ask = async () => {
    button.disabled = true
    problem.hidden = true
    try {
      const parse = kind === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'
      const publicKey = PublicKeyCredential[parse](JSON.parse(options))
      const credential = await navigator.credentials[kind]({ publicKey })
      form.elements.credential.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch (error) {
      problem.textContent = texts[error.name] || 'This browser cannot use a passkey here. Update it, or go another way.'
      problem.hidden = false
      button.disabled = false
    }
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    ask()
  })
  if (kind === 'get') ask()
}
`
