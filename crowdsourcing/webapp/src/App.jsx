// Which screen stands: the server's session decides, the page only remembers what was read or said in between.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "./api.js";
import { ChatUnit } from "./chat/ChatUnit.jsx";
import { Frame } from "./Frame.jsx";
import { handleOf, Onboarding, OnboardingResult } from "./screens/Onboarding.jsx";
import { Consent } from "./screens/Consent.jsx";
import { Finish } from "./screens/Finish.jsx";
import { InstructionsScreen } from "./screens/Instructions.jsx";
import { Loading, Notice, Waiting } from "./screens/Notice.jsx";
import { Ready } from "./screens/Ready.jsx";
import { Unit } from "./work/Unit.jsx";
import { Texts, translator } from "./texts.js";

// Refusals after which a screen of its own says so and goes on from the server's view. All others are said on the spot.
const SCREENS = { link: "link", late: "late", foreign: "gone", unknown: "gone", doubled: "doubled" };

function noticeFor(path, error) {
  if (path === "session" && error.status === 403) return "link";
  return SCREENS[error.code] ?? { 404: "gone", 410: "late" }[error.status] ?? null;
}

// Refusals that tell that the page is behind the server: it looks again.
const BEHIND = new Set([403, 409, 410]);

export function App({ api, stores }) {
  const [session, setSession] = useState(null);
  const [trouble, setTrouble] = useState(undefined);
  const [problem, setProblem] = useState(null);
  const [notice, setNotice] = useState(null);
  const [result, setResult] = useState(null);
  const [read, setRead] = useState(false);
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const t = useMemo(() => translator(session?.texts), [session?.texts]);

  useEffect(() => {
    api.onTrouble = setTrouble;
  }, [api]);
  useEffect(() => {
    document.documentElement.lang = session?.language ?? "en";
    document.documentElement.dir = t("direction") === "rtl" ? "rtl" : "ltr";
    if (session) document.title = session.survey.title;
  }, [session, t]);

  const receive = useCallback((answer) => {
    setSession({ ...answer, received: Date.now() });
    return answer;
  }, []);

  // What a refusal leads to: a screen that tells it, or a line, and where the page is behind, another look at the server.
  const refused = useCallback(
    async (path, error, over) => {
      if (!(error instanceof ApiError)) throw error;
      const kind = noticeFor(path, error);
      if (["late", "doubled"].includes(error.code)) over?.();
      if (kind) setNotice({ kind, text: error.text });
      else {
        setProblem(error);
        if (BEHIND.has(error.status)) await api.get("session").then(receive, () => null);
      }
      return null;
    },
    [api, receive],
  );
  // One request at a time, so that nothing is sent twice by two clicks; returns the answer, or null when refused.
  // `over` is called where the server says that the unit is over for good.
  const ask = useCallback(
    async (method, path, body, { over } = {}) => {
      if (running.current) return null;
      running.current = true;
      setBusy(true);
      setProblem(null);
      try {
        return await (method === "GET" ? api.get(path) : api.post(path, body));
      } catch (error) {
        return await refused(path, error, over);
      } finally {
        running.current = false;
        setBusy(false);
      }
    },
    [api, refused],
  );
  // A request beside the others: it waits for none and holds up none.
  const talk = useCallback(
    async (path, body, { over } = {}) => {
      try {
        const answer = await api.post(path, body);
        setProblem(null);
        return answer;
      } catch (error) {
        return refused(path, error, over);
      }
    },
    [api, refused],
  );
  const step = useCallback(
    async (method, path, body) => {
      const answer = await ask(method, path, body);
      return answer && receive(answer);
    },
    [ask, receive],
  );
  const refresh = useCallback(async () => {
    const answer = await step("GET", "session");
    if (answer) setNotice(null);
  }, [step]);

  useEffect(() => {
    refresh();
  }, [refresh]);

  const practised = async (items) => {
    const { attempt, round } = session.onboarding;
    const answer = await ask("POST", "onboarding", { items, attempt, ...(round ? { round } : {}) });
    if (!answer) return;
    (round ? stores.unit : stores.practice).clear(handleOf(session));
    setResult({ before: session, given: items, answer });
  };
  const screen = () => {
    if (notice) return <Notice {...notice} onContinue={notice.kind === "link" ? null : refresh} busy={busy} />;
    if (!session) return <Loading problem={problem} onRetry={refresh} />;
    if (result) {
      const goOn = () => {
        receive(result.answer);
        setResult(null);
      };
      return <OnboardingResult session={result.before} given={result.given} result={result.answer} onContinue={goOn} />;
    }
    const { survey, state, progress } = session;
    const fresh = state === "onboarding" || (state === "ready" && (progress.used ?? progress.done) === 0);
    const about = [survey.name, ...(survey.tasks ?? []).map((task) => task.name)].join(":");
    if (fresh && !read && !stores.practice.noted(`read:${about}`)) {
      const goOn = () => {
        stores.practice.note(`read:${about}`);
        setRead(true);
      };
      return <InstructionsScreen survey={survey} onContinue={goOn} />;
    }
    const common = { session, step, ask, talk, receive, busy, stores, problem };
    const Work = survey.chat ? ChatUnit : Unit;
    const screens = {
      preview: () => <Consent {...common} preview />,
      consent: () => <Consent {...common} />,
      onboarding: () => <Onboarding {...common} onFinish={practised} key={handleOf(session)} />,
      ready: () => <Ready {...common} />,
      working: () => <Work {...common} key={session.unit.unit} />,
      handed_in: () => <Finish {...common} />,
      finished: () => <Finish {...common} />,
      stopped: () => <Finish {...common} />,
      waiting: () => <Waiting {...common} onCheck={refresh} />,
    };
    const shown = screens[session.state];
    return shown ? shown() : <Notice kind={session.state} text={session.why} />;
  };
  return (
    <Texts.Provider value={t}>
      <Frame session={session} notice={notice} trouble={trouble} problem={session && problem} stores={stores}>
        {screen()}
      </Frame>
    </Texts.Provider>
  );
}
