/**
 * A page of a site as the reader sees it. Only pages that answered with a document are in the list; the job
 * keeps apart which addresses were not reached.
 */
export type FetchedPage = {
  /** The address that was asked for: the one that a link, the sitemap or the request has. */
  url: string
  /** The address that answered, after redirects. */
  finalUrl: string
  /** The HTTP status of the last response. */
  status: number
  /** The media type in lower case and without parameters, such as `text/html`; empty when none was sent. */
  contentType: string
  /** The document as text, decoded by its charset; of a rendered page the document after its scripts ran. */
  html: string
  /** Whether a browser has run the scripts of the page. */
  rendered: boolean
}
