import { inputOf, type Visited, type Visitor } from './visitor.ts'

/** Logs the visitor in to WordPress, as a person does. */
export async function logIn(
  visitor: Visitor,
  site: string,
  { login, password }: { login: string; password: string },
): Promise<void> {
  await visitor.open(`${site}/wp-login.php`)
  const page = await visitor.request(`${site}/wp-login.php`, { log: login, pwd: password, testcookie: '1' })
  if (page.status !== 302) throw new Error(`WordPress did not log ${login} in: ${page.status}`)
}

/** Presses a button of WordPress's own authorization page; answers where WordPress sends the browser. */
export async function press(visitor: Visitor, page: Visited, button: 'approve' | 'reject'): Promise<string> {
  const names = ['_wpnonce', 'action', 'app_id', 'app_name', 'success_url', 'reject_url']
  const values = names.map((name) => [
    name,
    inputOf(page, name).replaceAll('&amp;', '&').replaceAll('&#038;', '&'),
  ])
  const address = page.url.replace(/\?.*/, '')
  const answer = await visitor.request(address, { ...Object.fromEntries(values), [button]: 'Yes' })
  if (answer.location === null) throw new Error(`WordPress stayed on its page: ${answer.status}`)
  return answer.location
}
