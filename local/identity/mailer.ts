/** Sends an e-mail of plain text. Rejects when the server does not take it. */
export type SendMail = (mail: { to: string; subject: string; text: string }) => Promise<void>

export type MailServer = {
  /** smtps://host:465 speaks TLS from the first byte, smtp://host:587 must offer STARTTLS. */
  url: string
  from: string
  user: string | undefined
  password: string | undefined
}

const TIMEOUT_MS = 10_000

/** A sender of e-mail by SMTP. Only a server on this machine may go without TLS. */
export function createMailer({ url, from, user, password }: MailServer): SendMail {
  const { protocol, hostname, port } = new URL(url)
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  const secure = protocol === 'smtps:'
  const options = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    ...{ secure, requireTLS: !secure && !isLocal, ignoreTLS: !secure && isLocal },
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
  }
  return async ({ to, ...mail }) => {
    // Loaded with the first e-mail.
    const { createTransport } = await import('nodemailer')
    // As an object: a text with a comma would be several addresses.
    await createTransport(options).sendMail({ from, to: { name: '', address: to }, ...mail })
  }
}
