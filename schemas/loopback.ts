/**
 * Whether an agent's callback leads to the human's own machine: http on 127.0.0.1, localhost or [::1], any
 * port and path, no user name. The address is compared as the browser will read it.
 */
export function isLoopbackCallback(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    url.protocol === 'http:' &&
    ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) &&
    url.username === '' &&
    url.password === '' &&
    /^http:\/\//i.test(text)
  )
}
