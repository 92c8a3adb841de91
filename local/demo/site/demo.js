// The script of the demo site. It sends an event for each button, as any site could, and lists the events of this tab.
const STORAGE_KEY = 'demo:sent'
const MAX_ENTRIES = 8
const list = document.getElementById('sent')

function readEntries() {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
  } catch {
    return []
  }
}

function showEntries(entries) {
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

function addEntry(event, detail) {
  const entries = [{ event, detail, at: Date.now() }, ...readEntries()].slice(0, MAX_ENTRIES)
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(entries))
  } catch {
    // Without storage the list starts again on each page.
  }
  showEntries(entries)
}

document.addEventListener('click', event => {
  const element = event.target.closest('[data-track]')
  if (!element) return
  const { track, ...properties } = element.dataset
  window.aa.track(track, properties)
  addEntry(track, Object.values(properties).join(', '))
  const done = document.getElementById('done')
  if (done) done.textContent = 'Done. There is no notebook, but the event is on its way.'
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
  addEntry('page_view', location.pathname)
} else {
  list.firstElementChild.textContent =
    'The tracker is blocked or switched off in this browser, so no events are sent.'
}
