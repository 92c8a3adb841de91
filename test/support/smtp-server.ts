import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

export type SmtpServer = {
  /** For the setting SMTP_URL. */
  url: string
  /** E-mails that it has taken: the envelope and the lines of the message. */
  mails: { to: string[]; text: string }[]
  /** User and password of the last sign-in. */
  login(): string[] | null
  stop(): Promise<void>
}

/** A mail server on this machine, which takes every e-mail and hands none on. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: SmtpServer['mails'] = []
  const sockets = new Set<Socket>()
  let login: string[] | null = null
  const server = createServer(socket => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    let to: string[] = []
    let message: string[] | null = null
    let rest = ''
    const say = (line: string) => socket.write(`${line}\r\n`)

    function answer(line: string): void {
      if (message !== null) {
        if (line !== '.') message.push(line)
        else {
          mails.push({ to, text: message.join('\n') })
          message = null
          to = []
          say('250 taken')
        }
      } else if (/^EHLO/i.test(line)) socket.write('250-here\r\n250 AUTH PLAIN\r\n')
      else if (/^AUTH PLAIN /i.test(line)) {
        login = Buffer.from(line.slice(11), 'base64').toString().split('\0').slice(1)
        say('235 signed in')
      } else if (/^DATA/i.test(line)) {
        message = []
        say('354 go on')
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
      else {
        const recipient = /^RCPT TO:<(.*?)>/i.exec(line)?.[1]
        if (recipient !== undefined) to.push(recipient)
        say('250 ok')
      }
    }

    socket.setEncoding('utf8').on('error', () => {})
    socket.on('data', text => {
      const lines = (rest + text).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) answer(line)
    })
    say('220 here')
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    login: () => login,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => void server.close(resolve))
    },
  }
}
