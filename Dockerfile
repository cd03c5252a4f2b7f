# All that `make install` installs but R and a browser, and the commands: docker run IMAGE spotbot --help
FROM python:3.11-slim-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends make git nodejs npm && rm -rf /var/lib/apt/lists/*
WORKDIR /spotbot
COPY . .
RUN make install R=no CHROMIUM=no
ENV PATH=/spotbot/.venv/bin:$PATH
CMD ["spotbot", "--help"]
