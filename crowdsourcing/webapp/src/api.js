// Talks to the server. A request that met no server, or a busy one, is sent again with growing pauses until it is
// answered: the same request twice does no harm there. Any other refusal is thrown as ApiError.

const BUSY = new Set([429, 502, 503, 504]);
const LONGEST = 30;

export class ApiError extends Error {
  constructor(status, code, text) {
    super(text || code || `status ${status}`);
    this.status = status;
    this.code = code;
    this.text = text;
  }
}

export const pause = (attempt, random = Math.random) =>
  Math.min(LONGEST, 2 ** Math.min(attempt, 10)) * (0.75 + random() / 2);

export class Api {
  // keep: {get(), set(token)}; onTrouble: called with {kind, seconds} at each pause, and with null when it is over.
  constructor({ fetch, base, query, keep, onTrouble = () => {}, sleep, timeout = 30_000 }) {
    Object.assign(this, { fetch, base, query, keep, onTrouble, sleep, timeout });
  }

  async get(path) {
    return this.authorised("GET", path);
  }

  async post(path, body) {
    return this.authorised("POST", path, body);
  }

  async authorised(method, path, body) {
    const known = this.keep.get();
    const token = known ?? (await this.enter());
    try {
      return await this.persistent(method, path, body, token);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401 && known)) throw error;
      return this.persistent(method, path, body, await this.enter());
    }
  }

  async enter() {
    const { token } = await this.persistent("POST", "enter", { query: this.query });
    this.keep.set(token);
    return token;
  }

  async persistent(method, path, body, token) {
    for (let attempt = 0; ; attempt += 1) {
      const kind = await this.once(method, path, body, token).then(
        (answer) => ({ answer }),
        (error) => ({ error }),
      );
      const troubled = kind.error && (!(kind.error instanceof ApiError) || BUSY.has(kind.error.status));
      if (!troubled) {
        if (attempt > 0) this.onTrouble(null);
        if (kind.error) throw kind.error;
        return kind.answer;
      }
      const seconds = pause(attempt);
      this.onTrouble({ kind: kind.error instanceof ApiError ? "busy" : "network", seconds: Math.ceil(seconds) });
      await this.sleep(seconds * 1000);
    }
  }

  async once(method, path, body, token) {
    const headers = {};
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await this.fetch(new URL(`api/${path}`, this.base), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(this.timeout),
    });
    const text = await response.text();
    if (!response.ok) {
      const { code, text: sentence } = parsed(text)?.error ?? {};
      throw new ApiError(response.status, code, sentence);
    }
    return JSON.parse(text);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// The token belongs to the URL it was given for; without storage it lives as long as the page.
export function tokenKeeper(find, url) {
  const name = `spotbot:token:${url}`;
  let token = null;
  return {
    get() {
      try {
        return token ?? find().getItem(name);
      } catch {
        return token;
      }
    },
    set(value) {
      token = value;
      try {
        find().setItem(name, value);
      } catch {
        // The page asks for another one after a reload.
      }
    },
  };
}
