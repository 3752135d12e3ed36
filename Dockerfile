# The desk and the studio in a container: plain HTTP inside, TLS by the proxy beside it (compose.yaml).
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY src ./src
RUN python -m venv /opt/tacit && /opt/tacit/bin/pip install --no-cache-dir --constraint constraints.txt ".[serve,excel]"

FROM python:3.12-slim
COPY --from=build /opt/tacit /opt/tacit
# Not root, and nothing is written but in /data: the table, its schema, the ledger and the desk's log.
RUN useradd --uid 10001 --create-home tacit
USER 10001
WORKDIR /data
VOLUME /data
ENV PATH=/opt/tacit/bin:$PATH
EXPOSE 8765
ENTRYPOINT ["tacit"]
CMD ["doctor"]
