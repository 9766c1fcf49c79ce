import type { ReactNode } from 'react'

/** A link that somebody else has written: one to a page of the web, or else its words alone. */
export function ExternalLink({ url, children }: { url: string; children: ReactNode }) {
  if (!/^https?:$/.test(protocolOf(url))) return <>{children}</>
  return (
    <a href={url} target="_blank" rel="noreferrer nofollow">
      {children}
    </a>
  )
}

const protocolOf = (url: string): string => (URL.canParse(url) ? new URL(url).protocol : '')

/**
 * Where this Galley serves a file that it made, under whichever name the page was opened; undefined for what is no file of
 * its own, which the page loads nothing of.
 */
export function ownFile(url: string): string | undefined {
  const [, name] =
    /\/files\/([\w-]+\.[a-z0-9]{1,8})$/.exec(URL.canParse(url) ? new URL(url).pathname : '') ?? []
  return name && `/files/${name}`
}
