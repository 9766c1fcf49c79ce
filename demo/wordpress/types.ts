/** The roles of a new WordPress, from most to least capable. */
export const roles = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const
export type Role = (typeof roles)[number]

interface WordPressUser {
  login: string
  /** For the log-in page. */
  password: string
  /** For the REST API, as the password of HTTP basic authentication. */
  applicationPassword: string
}

export interface WordPress {
  /** Without a trailing slash. */
  url: string
  /** As WordPress names it: `7.1.4`. */
  version: string
  /** Absolute path of the WordPress files, the folder that holds `wp-load.php`. */
  root: string
  /** Absolute path of the folder of its must-use plugins: a file there runs without being activated. */
  muPlugins: string
  /** One user a role. */
  users: Record<Role, WordPressUser>
}

/** Takes one line about what is going on, for a person who waits. */
export type Log = (line: string) => void
