// Who leads the game, over finished tasks only.

import { useTexts } from "../texts.js";
import { rulesOf } from "./Instructions.jsx";

export function Leaderboard({ game }) {
  const t = useTexts();
  if (!game) return null;
  return (
    <section className="leaderboard" aria-label={t("game_leaderboard")}>
      <p>
        <strong>{t("game_points", rulesOf({ points: game.points ?? 0 }))}</strong>
        {game.rank ? ` · ${t("game_rank", { rank: game.rank })}` : ""}
      </p>
      {game.leaderboard?.length > 0 && (
        <table>
          <caption>{t("game_leaderboard")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("game_place")}</th>
              <th scope="col">{t("game_name")}</th>
              <th scope="col">{t("game_total")}</th>
            </tr>
          </thead>
          <tbody>
            {game.leaderboard.map((row, number) => (
              <tr key={number} className={row.you ? "you" : ""}>
                <td>{row.rank ?? number + 1}</td>
                <td dir="auto">{row.you ? `${row.name} (${t("game_you")})` : row.name}</td>
                <td>{rulesOf(row).points}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
