import type { ReactNode } from 'react'

/** A link from generated text: only http and https are links. */
export function ExternalLink({ url, children }: { url: string; children: ReactNode }) {
  if (!/^https?:$/.test(protocolOf(url))) return <>{children}</>
  return (
    <a href={url} target="_blank" rel="noreferrer nofollow">
      {children}
    </a>
  )
}

const protocolOf = (url: string): string => (URL.canParse(url) ? new URL(url).protocol : '')

/** The path of a file of this Galley, whatever host the page was opened on; undefined for other files, which the page does not load. */
export function ownFile(url: string): string | undefined {
  const [, name] =
    /\/files\/([\w-]+\.[a-z0-9]{1,8})$/.exec(URL.canParse(url) ? new URL(url).pathname : '') ?? []
  return name && `/files/${name}`
}
