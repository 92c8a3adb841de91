// The page's own script: sends the events of its buttons, as any site would, and shows what this tab has sent.
const SENT = 'demo:sent'
const SHOWN = 8
const list = document.getElementById('sent')

function sentSoFar() {
  try {
    return JSON.parse(sessionStorage.getItem(SENT) ?? '[]')
  } catch {
    return []
  }
}

function show(entries) {
  list.replaceChildren(
    ...entries.map(({ event, detail, at }) => {
      const item = document.createElement('li')
      const name = document.createElement('b')
      const time = document.createElement('time')
      name.textContent = event
      time.textContent = new Date(at).toLocaleTimeString()
      item.append(name, ` ${detail} `, time)
      return item
    }),
  )
}

function note(event, detail) {
  const entries = [{ event, detail, at: Date.now() }, ...sentSoFar()].slice(0, SHOWN)
  try {
    sessionStorage.setItem(SENT, JSON.stringify(entries))
  } catch {
    // A blocked storage only makes the list shorter.
  }
  show(entries)
}

document.addEventListener('click', event => {
  const element = event.target.closest('[data-track]')
  if (!element) return
  const { track, ...properties } = element.dataset
  window.aa.track(track, properties)
  note(track, Object.values(properties).join(', '))
  const done = document.getElementById('done')
  if (done) done.textContent = 'Done. Your notebook is as real as this page, but the event is on its way.'
})

for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
}

for (const link of document.querySelectorAll('nav a')) {
  if (link.pathname === location.pathname) link.setAttribute('aria-current', 'page')
}

const identity = window.aa?.getIdentity()
if (identity) {
  document.getElementById('who').textContent = `&user_id=${identity.anonymousId}`
  note('page_view', location.pathname)
} else {
  list.firstElementChild.textContent =
    'The tracker is blocked or switched off in this browser: nothing is sent.'
}
